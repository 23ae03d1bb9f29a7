"""Nouns for people, families and animals; see `nouns.py` for how they are written."""

PEOPLE = {
    "person adult everyday": """
        der Mann, Mannes, Männer = man/men; elder
        die Frau, Frau, Frauen = woman/women; elder
        der Nachbar, Nachbarn, Nachbarn = neighbor; elder companion
        die Nachbarin, Nachbarin, Nachbarinnen = neighbor; elder companion
        der Kollege, Kollegen, Kollegen = colleague; companion
        die Kollegin, Kollegin, Kolleginnen = colleague; companion
        der Student, Studenten, Studenten = student; studies job
        die Studentin, Studentin, Studentinnen = student; studies
        der Gast, Gastes, Gäste = guest
        der Tourist, Touristen, Touristen = tourist
        der Chef, Chefs, Chefs = boss/bosses; elder rare
        die Chefin, Chefin, Chefinnen = boss/bosses; rare
        der Lehrer, Lehrers, Lehrer = teacher; elder job teacher
        die Lehrerin, Lehrerin, Lehrerinnen = teacher; elder job teacher
        der Künstler, Künstlers, Künstler = artist; elder job famous
        die Künstlerin, Künstlerin, Künstlerinnen = artist; job famous
        der Sänger, Sängers, Sänger = singer; job famous
        die Sängerin, Sängerin, Sängerinnen = singer; job famous
        der Autor, Autors, Autoren = author; elder famous
        die Autorin, Autorin, Autorinnen = author; elder famous
        der Journalist, Journalisten, Journalisten = journalist; job
        die Journalistin, Journalistin, Journalistinnen = journalist; job
        der Arzt, Arztes, Ärzte = doctor; elder job doctor
        die Ärztin, Ärztin, Ärztinnen = doctor; elder job doctor
        der Zahnarzt, Zahnarztes, Zahnärzte = dentist; job doctor
        der Anwalt, Anwalts, Anwälte = lawyer; elder job
        die Anwältin, Anwältin, Anwältinnen = lawyer; job
        der Polizist, Polizisten, Polizisten = police officer; job
        die Polizistin, Polizistin, Polizistinnen = police officer; job
        der Verkäufer, Verkäufers, Verkäufer = salesman/salesmen; job
        die Verkäuferin, Verkäuferin, Verkäuferinnen = saleswoman/saleswomen; job
        der Kellner, Kellners, Kellner = waiter; job
        die Kellnerin, Kellnerin, Kellnerinnen = waitress; job
        der Gärtner, Gärtners, Gärtner = gardener; elder job
        der Bäcker, Bäckers, Bäcker = baker; elder job
        der Koch, Kochs, Köche = cook; job
        die Köchin, Köchin, Köchinnen = cook; job
        der Mechaniker, Mechanikers, Mechaniker = mechanic; job
        der Bauer, Bauern, Bauern = farmer; elder job
        der Pilot, Piloten, Piloten = pilot; job
        der Busfahrer, Busfahrers, Busfahrer = bus driver; elder job
        der Briefträger, Briefträgers, Briefträger = mail carrier; job
        der Trainer, Trainers, Trainer = coach; teacher
        die Krankenschwester, Krankenschwester, Krankenschwestern = nurse; job
        der Schauspieler, Schauspielers, Schauspieler = actor; job famous
        die Schauspielerin, Schauspielerin, Schauspielerinnen = actress; job famous
        der Professor, Professors, Professoren = professor; elder job teacher
        die Professorin, Professorin, Professorinnen = professor; elder job teacher
        der Ingenieur, Ingenieurs, Ingenieure = engineer; job
        die Ingenieurin, Ingenieurin, Ingenieurinnen = engineer; job
        der Tierarzt, Tierarztes, Tierärzte = vet; job
        der Fotograf, Fotografen, Fotografen = photographer; job
        der Musiker, Musikers, Musiker = musician; job famous
        der Kunde, Kunden, Kunden = customer
        die Kundin, Kundin, Kundinnen = customer
        der Bürgermeister, Bürgermeisters, Bürgermeister = mayor; rare
        """,
    "person child": """
        das Kind, Kindes, Kinder = child/children
        das Mädchen, Mädchens, Mädchen = girl
        der Junge, Jungen, Jungen = boy
        der Schüler, Schülers, Schüler = pupil; studies pupil
        die Schülerin, Schülerin, Schülerinnen = pupil; studies pupil
        """,
    "kin adult": """
        die Mutter, Mutter, Mütter = mother; relative rare
        der Vater, Vaters, Väter = father; relative rare
        der Bruder, Bruders, Brüder = brother; relative sibling
        die Schwester, Schwester, Schwestern = sister; relative sibling
        die Großmutter, Großmutter, Großmütter = grandmother; relative old rare
        der Großvater, Großvaters, Großväter = grandfather; relative old rare
        der Onkel, Onkels, Onkel = uncle; relative
        die Tante, Tante, Tanten = aunt; relative
        der Cousin, Cousins, Cousins = cousin; relative
        die Cousine, Cousine, Cousinen = cousin; relative
        pl Eltern, -, Eltern = parents; relative
        pl Großeltern, -, Großeltern = grandparents; relative old
        der Freund, Freundes, Freunde = friend; friend
        die Freundin, Freundin, Freundinnen = friend; friend
        """,
    "kin child": """
        der Sohn, Sohnes, Söhne = son; younger
        die Tochter, Tochter, Töchter = daughter; younger
        der Enkel, Enkels, Enkel = grandson; younger
        die Enkelin, Enkelin, Enkelinnen = granddaughter; younger
        der Neffe, Neffen, Neffen = nephew; younger
        die Nichte, Nichte, Nichten = niece; younger
        """,
    "animal": """
        der Hund, Hundes, Hunde = dog; pet runs meat
        die Katze, Katze, Katzen = cat; pet runs meat hunter
        der Kater, Katers, Kater = tomcat; pet runs meat hunter
        das Pferd, Pferdes, Pferde = horse; grass runs
        der Vogel, Vogels, Vögel = bird; watched
        die Kuh, Kuh, Kühe = cow; grass
        das Schaf, Schafes, Schafe = sheep/sheep; grass
        die Ziege, Ziege, Ziegen = goat; grass
        das Huhn, Huhns, Hühner = chicken; farm
        die Ente, Ente, Enten = duck; watched
        das Kaninchen, Kaninchens, Kaninchen = rabbit; pet grass runs
        der Esel, Esels, Esel = donkey; grass
        der Fuchs, Fuchses, Füchse = fox; watched
        der Bär, Bären, Bären = bear; watched
        der Affe, Affen, Affen = monkey; watched
        der Elefant, Elefanten, Elefanten = elephant; watched
        der Löwe, Löwen, Löwen = lion; watched
        das Eichhörnchen, Eichhörnchens, Eichhörnchen = squirrel; watched
        """,
}
