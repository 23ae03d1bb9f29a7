"""Nouns for things, clothes, food, texts and plants; see `nouns.py` for how they are written."""

THINGS = {
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
}
