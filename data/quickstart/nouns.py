"""Nouns of the quickstart grammar: article lemma, genitive, plural = English[/plural]; further classes.

The section heading gives the classes that all its nouns share. Every lemma is a class of its own as well,
so that a verb may ask for exactly one noun. Classes used below:
adult, child, elder, kin, friend, sibling — people; vehicle, thing, carry, … — what they deal with;
pair — used in the plural; rare — never put in the plural; unarticled — English says it without "the".
"""

NOUN_SECTIONS = {
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
    "thing carry": """
        der Schlüssel, Schlüssels, Schlüssel = key; lost lent pocket
        der Haustürschlüssel, Haustürschlüssels, Haustürschlüssel = front door key; lost pocket
        der Autoschlüssel, Autoschlüssels, Autoschlüssel = car key; lost pocket
        die Tasche, Tasche, Taschen = bag; lost goods colored packed
        die Handtasche, Handtasche, Handtaschen = handbag; goods colored gift female
        das Handy, Handys, Handys = cell phone; lost goods modern lent pocket
        der Regenschirm, Regenschirms, Regenschirme = umbrella; lost lent colored goods
        die Brieftasche, Brieftasche, Brieftaschen = wallet; lost goods gift pocket
        die Fahrkarte, Fahrkarte, Fahrkarten = ticket; lost cheap pocket
        der Reisepass, Reisepasses, Reisepässe = passport; lost pocket
        der Führerschein, Führerscheins, Führerscheine = driver's license; lost pocket
        die Kreditkarte, Kreditkarte, Kreditkarten = credit card; lost pocket
        der Ring, Rings, Ringe = ring; lost goods gift jewel pocket
        die Halskette, Halskette, Halsketten = necklace; lost goods gift jewel pocket
        die Armbanduhr, Armbanduhr, Armbanduhren = wristwatch/wristwatches; lost goods gift jewel pocket
        die Kamera, Kamera, Kameras = camera; lost goods modern lent gift pocket
        der Rucksack, Rucksacks, Rucksäcke = backpack; lost packed colored goods heavy
        der Koffer, Koffers, Koffer = suitcase; lost packed colored goods heavy
        die Reisetasche, Reisetasche, Reisetaschen = travel bag; lost packed colored goods heavy
        der Kugelschreiber, Kugelschreibers, Kugelschreiber = pen; lost lent colored pocket
        das Notizbuch, Notizbuchs, Notizbücher = notebook; lost colored pocket
        die Taschenlampe, Taschenlampe, Taschenlampen = flashlight; lost lent pocket
        der Laptop, Laptops, Laptops = laptop; lost goods modern lent
        das Wörterbuch, Wörterbuchs, Wörterbücher = dictionary; lost lent thick goods pocket
        der Stadtplan, Stadtplans, Stadtpläne = city map; lost lent pocket
        die Gitarre, Gitarre, Gitarren = guitar; goods lent
        der Ball, Balls, Bälle = ball; colored toy
        die Puppe, Puppe, Puppen = doll; toy
        der Teddybär, Teddybären, Teddybären = teddy bear; toy
        das Spielzeugauto, Spielzeugautos, Spielzeugautos = toy car; toy colored
        das Geschenk, Geschenks, Geschenke = present; sent small
        das Geburtstagsgeschenk, Geburtstagsgeschenks, Geburtstagsgeschenke = birthday present; sent small
        das Paket, Pakets, Pakete = package; sent heavy small
        die Kiste, Kiste, Kisten = box; heavy small
        die Flasche, Flasche, Flaschen = bottle; dish
        das Glas, Glases, Gläser = glass; dish
        die Tasse, Tasse, Tassen = cup; dish colored
        der Teller, Tellers, Teller = plate; dish colored
        die Vase, Vase, Vasen = vase; goods colored gift
        """,
    "thing furniture goods": """
        der Tisch, Tisches, Tische = table; surface
        der Küchentisch, Küchentisches, Küchentische = kitchen table; surface
        der Schreibtisch, Schreibtisches, Schreibtische = desk; surface
        der Stuhl, Stuhls, Stühle = chair; seat
        der Sessel, Sessels, Sessel = armchair; seat soft
        das Sofa, Sofas, Sofas = sofa; seat soft
        das Bett, Bettes, Betten = bed; soft
        das Regal, Regals, Regale = shelf/shelves
        das Bücherregal, Bücherregals, Bücherregale = bookcase
        der Schrank, Schranks, Schränke = cupboard
        der Kleiderschrank, Kleiderschranks, Kleiderschränke = wardrobe
        der Teppich, Teppichs, Teppiche = carpet; colored soft
        der Spiegel, Spiegels, Spiegel = mirror
        die Lampe, Lampe, Lampen = lamp; switch modern
        der Gartenstuhl, Gartenstuhls, Gartenstühle = garden chair; seat
        """,
    "thing device goods modern": """
        der Computer, Computers, Computer = computer; switch
        der Fernseher, Fernsehers, Fernseher = television; switch
        das Radio, Radios, Radios = radio; switch
        der Drucker, Druckers, Drucker = printer; switch
        die Waschmaschine, Waschmaschine, Waschmaschinen = washing machine; switch household rare
        die Spülmaschine, Spülmaschine, Spülmaschinen = dishwasher; switch household rare
        die Kaffeemaschine, Kaffeemaschine, Kaffeemaschinen = coffee machine; switch household rare
        der Staubsauger, Staubsaugers, Staubsauger = vacuum cleaner; lent household rare
        der Kühlschrank, Kühlschranks, Kühlschränke = fridge; household rare
        der Backofen, Backofens, Backöfen = oven; switch
        der Rasenmäher, Rasenmähers, Rasenmäher = lawn mower; lent
        die Klimaanlage, Klimaanlage, Klimaanlagen = air conditioner; switch
        """,
    "thing vehicle": """
        das Auto, Autos, Autos = car; own drive colored goods modern washed
        das Fahrrad, Fahrrads, Fahrräder = bicycle; own colored goods lent washed gift ridden
        das Motorrad, Motorrads, Motorräder = motorcycle; own colored goods washed ridden
        der Lastwagen, Lastwagens, Lastwagen = truck; work drive
        der Traktor, Traktors, Traktoren = tractor; work
        das Boot, Bootes, Boote = boat; own colored
        das Segelboot, Segelboots, Segelboote = sailboat; own
        das Wohnmobil, Wohnmobils, Wohnmobile = camper; own drive
        der Bus, Busses, Busse = bus/buses; public line
        der Zug, Zuges, Züge = train; public line
        die Straßenbahn, Straßenbahn, Straßenbahnen = streetcar; public
        das Flugzeug, Flugzeugs, Flugzeuge = airplane; line
        das Taxi, Taxis, Taxis = taxi; hired
        """,
    "clothing goods colored": """
        die Jacke, Jacke, Jacken = jacket; warm taken
        der Mantel, Mantels, Mäntel = coat; warm taken
        das Kleid, Kleides, Kleider = dress; female gift
        das Sommerkleid, Sommerkleides, Sommerkleider = summer dress; female
        das Hemd, Hemdes, Hemden = shirt
        der Rock, Rocks, Röcke = skirt; female
        die Bluse, Bluse, Blusen = blouse; female
        der Pullover, Pullovers, Pullover = sweater; warm taken gift
        der Hut, Hutes, Hüte = hat; taken lost
        der Schal, Schals, Schals = scarf/scarves; warm lost gift taken
        die Mütze, Mütze, Mützen = cap; warm taken lost
        das T-Shirt, T-Shirts, T-Shirts = T-shirt
        der Anzug, Anzugs, Anzüge = suit; formal
        die Krawatte, Krawatte, Krawatten = tie; gift formal male
        die Winterjacke, Winterjacke, Winterjacken = winter jacket; warm taken
        der Regenmantel, Regenmantels, Regenmäntel = raincoat; taken
        der Schuh, Schuhs, Schuhe = shoe; pair worn taken
        der Stiefel, Stiefels, Stiefel = boot; pair worn taken
        der Wanderschuh, Wanderschuhs, Wanderschuhe = hiking boot; pair worn taken
        der Turnschuh, Turnschuhs, Turnschuhe = sneaker; pair worn taken
        der Handschuh, Handschuhs, Handschuhe = glove; pair warm taken lost
        die Socke, Socke, Socken = sock; pair warm
        """,
    "food eaten": """
        der Apfel, Apfels, Äpfel = apple; fruit cut
        die Banane, Banane, Bananen = banana; fruit
        die Birne, Birne, Birnen = pear; fruit cut
        die Orange, Orange, Orangen = orange; fruit
        das Brötchen, Brötchens, Brötchen = roll; bread
        die Brezel, Brezel, Brezeln = pretzel; bread
        die Pizza, Pizza, Pizzas = pizza; dishes
        das Omelett, Omeletts, Omeletts = omelet; dishes
        der Pfannkuchen, Pfannkuchens, Pfannkuchen = pancake; dishes
        die Suppe, Suppe, - = soup; dishes pot
        die Gemüsesuppe, Gemüsesuppe, - = vegetable soup; dishes pot
        die Tomatensuppe, Tomatensuppe, - = tomato soup; dishes pot
        der Salat, Salats, Salate = salad; dishes mixed rare
        der Kartoffelsalat, Kartoffelsalats, Kartoffelsalate = potato salad; dishes mixed rare
        der Obstsalat, Obstsalats, Obstsalate = fruit salad; dishes mixed rare
        das Schnitzel, Schnitzels, Schnitzel = schnitzel; dishes
        die Wurst, Wurst, Würste = sausage; dishes meat-food
        der Kuchen, Kuchens, Kuchen = cake; baked cut rare
        der Apfelkuchen, Apfelkuchens, Apfelkuchen = apple cake; baked cut rare
        der Schokoladenkuchen, Schokoladenkuchens, Schokoladenkuchen = chocolate cake; baked cut rare
        der Geburtstagskuchen, Geburtstagskuchens, Geburtstagskuchen = birthday cake; baked cut rare
        der Keks, Kekses, Kekse = cookie; biscuit
        das Brot, Brotes, - = bread; staple cut bread
        der Käse, Käses, - = cheese; staple cut
        der Reis, Reises, - = rice; staple pot
        das Fleisch, Fleisches, - = meat; staple meat-food cut
        der Fisch, Fisches, - = fish; staple meat-food dishes
        das Obst, Obstes, - = fruit; staple
        die Schokolade, Schokolade, - = chocolate; sweet
        das Eis, Eises, - = ice cream; sweet
        der Honig, Honigs, - = honey; spread
        """,
    "drink": """
        der Kaffee, Kaffees, - = coffee; brew
        der Tee, Tees, - = tea; brew
        das Wasser, Wassers, - = water; cool
        die Milch, Milch, - = milk; cool child-drink
        der Apfelsaft, Apfelsafts, - = apple juice; cool child-drink
        der Orangensaft, Orangensafts, - = orange juice; cool child-drink
        die Limonade, Limonade, - = lemonade; cool child-drink
        der Kakao, Kakaos, - = cocoa; brew child-drink
        das Bier, Bieres, - = beer; alcohol cool
        der Wein, Weines, - = wine; alcohol
        """,
    "text": """
        das Buch, Buches, Bücher = book; story lent thick goods gift handed pocket
        der Roman, Romans, Romane = novel; story thick written
        der Krimi, Krimis, Krimis = crime novel; story
        die Geschichte, Geschichte, Geschichten = story; story written told
        das Märchen, Märchens, Märchen = fairy tale; story told
        das Gedicht, Gedichts, Gedichte = poem; written
        die Zeitung, Zeitung, Zeitungen = newspaper; news
        die Zeitschrift, Zeitschrift, Zeitschriften = magazine; news pocket
        der Artikel, Artikels, Artikel = article; written paper
        der Bericht, Berichts, Berichte = report; written paper handed
        der Brief, Briefes, Briefe = letter; written paper sent signed answered pocket
        die Postkarte, Postkarte, Postkarten = postcard; written sent
        die E-Mail, E-Mail, E-Mails = email; written paper sent-online answered
        """,
    "document": """
        der Vertrag, Vertrags, Verträge = contract; signed
        das Formular, Formulars, Formulare = form; signed filled handed
        der Fragebogen, Fragebogens, Fragebögen = questionnaire; filled handed
        der Antrag, Antrags, Anträge = application form; filled handed signed
        die Rechnung, Rechnung, Rechnungen = bill; paid
        die Miete, Miete, Mieten = rent; paid rare
        die Hausaufgabe, Hausaufgabe, Hausaufgaben = homework assignment; handed task
        """,
    "plant": """
        der Baum, Baumes, Bäume = tree; tall
        der Apfelbaum, Apfelbaums, Apfelbäume = apple tree; tall
        der Kirschbaum, Kirschbaums, Kirschbäume = cherry tree; tall
        die Blume, Blume, Blumen = flower; flower colored
        die Rose, Rose, Rosen = rose; flower colored
        die Tulpe, Tulpe, Tulpen = tulip; flower colored
        die Sonnenblume, Sonnenblume, Sonnenblumen = sunflower; flower
        """,
    "building": """
        das Haus, Hauses, Häuser = house; home sold rented
        die Wohnung, Wohnung, Wohnungen = apartment; home sold rented
        das Gartenhaus, Gartenhauses, Gartenhäuser = garden shed; built painted
        das Baumhaus, Baumhauses, Baumhäuser = tree house; built
        die Garage, Garage, Garagen = garage; tidied rented
        der Turm, Turmes, Türme = tower; tall sight
        die Brücke, Brücke, Brücken = bridge; sight
        das Schloss, Schlosses, Schlösser = castle; sight
        die Kirche, Kirche, Kirchen = church; sight
        das Museum, Museums, Museen = museum; sight visited
        das Rathaus, Rathauses, Rathäuser = town hall; sight
        die Schule, Schule, Schulen = school; sight
        das Hotel, Hotels, Hotels = hotel; lodging
        das Restaurant, Restaurants, Restaurants = restaurant; lodging
        das Krankenhaus, Krankenhauses, Krankenhäuser = hospital; sight
        """,
    "place": """
        die Küche, Küche, Küchen = kitchen; room tidied painted cleaned rare
        das Wohnzimmer, Wohnzimmers, Wohnzimmer = living room; room tidied painted cleaned rare
        das Schlafzimmer, Schlafzimmers, Schlafzimmer = bedroom; room tidied painted cleaned rare
        das Badezimmer, Badezimmers, Badezimmer = bathroom; room cleaned painted rare
        das Büro, Büros, Büros = office; room tidied rented rare
        der Keller, Kellers, Keller = basement; tidied painted rare
        der Garten, Gartens, Gärten = garden; rare
        der Balkon, Balkons, Balkons = balcony; cleaned rare
        der Park, Parks, Parks = park; nature
        der Wald, Waldes, Wälder = forest; nature
        der See, Sees, Seen = lake; nature
        der Fluss, Flusses, Flüsse = river; nature
        der Berg, Berges, Berge = mountain; nature tall
        das Dorf, Dorfes, Dörfer = village; town
        die Stadt, Stadt, Städte = city; town
        der Strand, Strandes, Strände = beach; nature
        der Supermarkt, Supermarkts, Supermärkte = supermarket
        die Bäckerei, Bäckerei, Bäckereien = bakery
        die Apotheke, Apotheke, Apotheken = pharmacy
        die Buchhandlung, Buchhandlung, Buchhandlungen = bookstore
        der Markt, Marktes, Märkte = market
        das Café, Cafés, Cafés = café; lodging
        das Kino, Kinos, Kinos = movie theater
        das Theater, Theaters, Theater = theater
        die Bibliothek, Bibliothek, Bibliotheken = library
        der Zoo, Zoos, Zoos = zoo; visited
        das Schwimmbad, Schwimmbads, Schwimmbäder = swimming pool
        der Bahnhof, Bahnhofs, Bahnhöfe = train station
        der Flughafen, Flughafens, Flughäfen = airport
        die Haltestelle, Haltestelle, Haltestellen = bus stop
        der Spielplatz, Spielplatzes, Spielplätze = playground
        die Universität, Universität, Universitäten = university
        die Werkstatt, Werkstatt, Werkstätten = workshop
        """,
    "thing part": """
        die Tür, Tür, Türen = door; opened painted
        die Haustür, Haustür, Haustüren = front door; opened painted
        das Fenster, Fensters, Fenster = window; opened cleaned
        das Dach, Daches, Dächer = roof
        der Zaun, Zauns, Zäune = fence; painted
        die Wand, Wand, Wände = wall; painted
        das Tor, Tors, Tore = gate; opened painted
        das Bild, Bildes, Bilder = picture; art goods gift
        das Porträt, Porträts, Porträts = portrait; art
        """,
    "body": """
        die Hand, Hand, Hände = hand; washable
        das Gesicht, Gesichts, Gesichter = face; washable rare
        der Fuß, Fußes, Füße = foot/feet; washable
        das Haar, Haares, Haare = hair/hair; washable
        der Zahn, Zahnes, Zähne = tooth/teeth
        """,
    "event": """
        das Fest, Festes, Feste = party/parties; organized
        die Reise, Reise, Reisen = trip; organized
        der Ausflug, Ausflugs, Ausflüge = outing; organized joined
        die Hochzeit, Hochzeit, Hochzeiten = wedding; organized awaited
        das Konzert, Konzerts, Konzerte = concert; organized show
        die Sitzung, Sitzung, Sitzungen = meeting; organized prepared joined
        der Urlaub, Urlaubs, - = vacation; awaited
        das Wochenende, Wochenendes, Wochenenden = weekend; awaited rare
        der Geburtstag, Geburtstags, Geburtstage = birthday; celebrated rare
        das Frühstück, Frühstücks, - = breakfast; prepared unarticled
        das Abendessen, Abendessens, - = dinner; prepared unarticled
        der Kurs, Kurses, Kurse = course; joined
        der Wettbewerb, Wettbewerbs, Wettbewerbe = contest; joined won
        das Spiel, Spiels, Spiele = game; won
        der Preis, Preises, Preise = prize; won
        der Film, Films, Filme = movie; show story
        das Theaterstück, Theaterstücks, Theaterstücke = play; show story
        die Prüfung, Prüfung, Prüfungen = exam; task passed
        der Test, Tests, Tests = test; task passed
        die Aufgabe, Aufgabe, Aufgaben = task; task explained
        die Frage, Frage, Fragen = question; task answered
        die Regel, Regel, Regeln = rule; explained
        der Plan, Plans, Pläne = plan; explained
        das Problem, Problems, Probleme = problem; explained
        das Lied, Lieds, Lieder = song
        der Witz, Witzes, Witze = joke; told
        die Stelle, Stelle, Stellen = job; applied
        """,
    "kind": """
        die Musik, Musik, - = music; interest listened
        die Kunst, Kunst, - = art; interest
        die Politik, Politik, - = politics; interest
        die Astronomie, Astronomie, - = astronomy; interest
        die Mathematik, Mathematik, - = mathematics; interest
        der Sport, Sports, - = sports; interest
        die Literatur, Literatur, - = literature; interest
        das Spanisch, Spanischs, - = Spanish; language
        das Italienisch, Italienischs, - = Italian; language
        das Deutsch, Deutschs, - = German; language
        das Englisch, Englischs, - = English; language
        das Russisch, Russischs, - = Russian; language
        das Chinesisch, Chinesischs, - = Chinese; language
        der Fußball, Fußballs, - = soccer; game
        das Tennis, Tennis, - = tennis; game
        das Schach, Schachs, - = chess; game
        das Volleyball, Volleyballs, - = volleyball; game
        das Klavier, Klaviers, - = the piano; instrument
        die Geige, Geige, - = the violin; instrument
        die Flöte, Flöte, - = the flute; instrument
        """,
}
