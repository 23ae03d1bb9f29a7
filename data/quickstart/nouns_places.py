"""Nouns for places, parts, events and kinds; see `nouns.py` for how they are written."""

PLACES_AND_EVENTS = {
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
