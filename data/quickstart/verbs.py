"""Verbs of the quickstart grammar, one to a line, the fields parted by semicolons:

German infinitive, the separable prefix parted by "|"; third person present, past, [ist] participle;
English base [past participle [gerund]] [+particle]; aspects; subject classes; complements; places.

Aspects say where a verb reads naturally: g going on right now, h habit, m only with "often" and the like,
p completed in the past, f planned or wanted, b a large event that also goes with "last year",
l a long one that no single day will do for, t a trifle that nobody dates by weeks,
1 something that people do one by one.

A complement is [preposition] case classes determiners. The class `someone` stands for a person whom the
subject deals with. Determiners are d (der), i (ein), p (possessive), b (none), P (die, in the plural),
B (none, in the plural), + (ein may give way to a plural), * (der may give way to die).

Places are classes of places where it happens, after ">" where to it goes.
"""

TRANSITIVE_VERBS = """
lesen; liest las gelesen; read read read; ghpf; person; acc Buch/Roman/Krimi/Märchen/Geschichte/Zeitschrift i+; quiet
lesen; liest las gelesen; read read read; ghpf; person; acc Zeitung d; quiet
lesen; liest las gelesen; read read read; gpf; person; acc text d; quiet
schreiben; schreibt schrieb geschrieben; write wrote written; gpf; adult; acc written i+; quiet
kaufen; kauft kaufte gekauft; buy bought bought; pbf; adult; acc goods i
kaufen; kauft kaufte gekauft; buy bought bought; pf; adult; acc fruit/flower/bread i+; Markt/Supermarkt
verkaufen; verkauft verkaufte verkauft; sell sold sold; pbf; adult; acc own/sold/work dp
suchen; sucht suchte gesucht; look +for; gp; person; acc lost dp; everywhere
finden; findet fand gefunden; find found found; p; person; acc lost dp; everywhere
verlieren; verliert verlor verloren; lose lost lost; p; person; acc lost p; public
vergessen; vergisst vergaß vergessen; forget forgot forgotten forgetting; p; person; acc lost/taken p
essen; isst aß gegessen; eat ate eaten; ghpft; person; acc fruit/bread/dishes/mixed i+; home
essen; isst aß gegessen; eat ate eaten; ghpft; person; acc staple/sweet b; home
essen; isst aß gegessen; eat ate eaten; pt; person; acc baked/biscuit d
trinken; trinkt trank getrunken; drink drank drunk; ghpft; adult; acc drink b; home/lodging
kochen; kocht kochte gekocht; cook; ghpf; adult; acc pot b
backen; backt backte gebacken; bake; gpf; adult; acc baked/biscuit i+
bestellen; bestellt bestellte bestellt; order; pft; adult; acc dishes i; lodging
bestellen; bestellt bestellte bestellt; order; pft; adult; acc drink b; lodging
reparieren; repariert reparierte repariert; repair; gpf; adult; acc own/work/device/furniture/Dach/Zaun dp
waschen; wäscht wusch gewaschen; wash; ghpf; adult; acc washed dp
putzen; putzt putzte geputzt; clean; ghpf; adult; acc cleaned d*
auf|räumen; räumt räumte geräumt; tidy +up; gpf; person; acc tidied dp
besuchen; besucht besuchte besucht; visit; hpbf; adult; acc someone p
besuchen; besucht besuchte besucht; visit; hpf; adult; acc visited d
an|rufen; ruft rief gerufen; call; hpf; adult; acc someone p
ab|holen; holt holte geholt; pick +up; hpf; adult; acc someone p; station
ein|laden; lädt lud geladen; invite; pf; adult; acc someone p+
treffen; trifft traf getroffen; meet met met; hpf; adult; acc someone p; public/lodging
begleiten; begleitet begleitete begleitet; accompany; pf; adult; acc someone p; >station/errand
wecken; weckt weckte geweckt; wake woke woken +up; pft; adult; acc younger p
loben; lobt lobte gelobt; praise; pf; teacher; acc pupil/studies d*
fragen; fragt fragte gefragt; ask; mpft; person; acc teacher/doctor d
mit|bringen; bringt brachte gebracht; bring brought brought; pf; adult; acc baked/mixed i
an|ziehen; zieht zog gezogen; put put put putting +on; pft; person; acc taken dp
aus|ziehen; zieht zog gezogen; take took taken +off; pft; person; acc taken dp
an|probieren; probiert probierte probiert; try tried tried +on; gpft; adult; acc taken/formal/Hemd/T-Shirt di
ein|schalten; schaltet schaltete geschaltet; turn +on; pft; adult; acc switch d
aus|schalten; schaltet schaltete geschaltet; turn +off; pft; adult; acc switch d
öffnen; öffnet öffnete geöffnet; open; pft; person; acc opened/small d*
schließen; schließt schloss geschlossen; close; pft; person; acc opened d
unterschreiben; unterschreibt unterschrieb unterschrieben; sign; pf; adult; acc signed d
übersetzen; übersetzt übersetzte übersetzt; translate; gpf; adult; acc written d
bezahlen; bezahlt bezahlte bezahlt; pay paid paid; pf; adult; acc paid d
aus|füllen; füllt füllte gefüllt; fill +out; gpf; adult; acc filled d
ab|geben; gibt gab gegeben; hand +in; pf; studies; acc handed p
zurück|geben; gibt gab gegeben; give gave given +back; pf; person; acc lent d
weg|werfen; wirft warf geworfen; throw threw thrown +away; pf; person; acc news/dish d
packen; packt packte gepackt; pack; gpf; adult; acc packed dp
malen; malt malte gemalt; paint; gpf; person; acc art/flower/tall i
streichen; streicht strich gestrichen; paint; gpf; adult; acc painted d
bauen; baut baute gebaut; build built built; gpblf; adult; acc built/Haus/Regal i
pflanzen; pflanzt pflanzte gepflanzt; plant; gpbf; adult; acc plant i; yard
gießen; gießt goss gegossen; water; ghpft; person; acc flower P; yard
füttern; füttert fütterte gefüttert; feed fed fed; ghpft; person; acc pet/grass/farm d*
streicheln; streichelt streichelte gestreichelt; pet petted petted petting; gpt; person; acc pet/grass d
fotografieren; fotografiert fotografierte fotografiert; photograph; gpf; adult; acc watched/sight d
beobachten; beobachtet beobachtete beobachtet; watch; gp; person; acc watched d; nature
beantworten; beantwortet beantwortete beantwortet; answer; pf; adult; acc answered d
erklären; erklärt erklärte erklärt; explain; gpf; teacher; acc explained/Aufgabe d
lösen; löst löste gelöst; solve; pf; studies; acc Aufgabe/Problem d
lernen; lernt lernte gelernt; learn; gf; person; acc language b; quiet
spielen; spielt spielte gespielt; play; ghpf; person; acc game/instrument b
sich an|sehen; sieht sah gesehen; watch; pf; person; acc show i
hören; hört hörte gehört; listen +to; ghpft; person; acc listened b; home
singen; singt sang gesungen; sing sang sung; gpt; person; acc Lied i+
schneiden; schneidet schnitt geschnitten; cut cut cut cutting; gpft; adult; acc cut d
mieten; mietet mietete gemietet; rent; pbf; adult; acc rented/own/work i
untersuchen; untersucht untersuchte untersucht; examine; gpf; doctor; acc younger/child/Hund/Katze d
organisieren; organisiert organisierte organisiert; organize; gpbf; adult; acc organized i
vor|bereiten; bereitet bereitete bereitet; prepare; gpf; adult; acc prepared d
feiern; feiert feierte gefeiert; celebrate; gpbf1; adult; acc celebrated p; lodging
verpassen; verpasst verpasste verpasst; miss; p; adult; acc public/Flugzeug d
gewinnen; gewinnt gewann gewonnen; win won won winning; pb; person; acc won i
bestehen; besteht bestand bestanden; pass; pbf; studies; acc passed d
verstehen; versteht verstand verstanden; understand understood understood; p; person; acc task/explained d
retten; rettet rettete gerettet; rescue; pb; adult; acc pet d
zerbrechen; zerbricht zerbrach zerbrochen; break broke broken; pt; person; acc dish/Vase d
verstecken; versteckt versteckte versteckt; hide hid hidden; pt; person; acc small/sweet d
ein|packen; packt packte gepackt; wrap wrapped wrapped wrapping +up; gpf; adult; acc small/toy d
tragen; trägt trug getragen; carry; gpt; adult; acc heavy d
"""

INTRANSITIVE_VERBS = """
schlafen; schläft schlief geschlafen; sleep slept slept; gpt; person; ; asleep
arbeiten; arbeitet arbeitete gearbeitet; work; ghpf; adult; ; working
tanzen; tanzt tanzte getanzt; dance; gpft; person; ; lodging/home
singen; singt sang gesungen; sing sang sung; ghpt; person; ; home/nature
schwimmen; schwimmt schwamm ist geschwommen; swim swam swum swimming; ghpf; person; ; water
joggen; joggt joggte ist gejoggt; jog jogged jogged jogging; ghpf; adult; ; nature
wandern; wandert wanderte ist gewandert; hike; ghpf; adult; ; Wald
klettern; klettert kletterte ist geklettert; climb; gpft; child; ; play
spazieren |gehen; geht ging ist gegangen; go went gone going +for a walk; hpf; adult; ; nature
ein|kaufen; kauft kaufte gekauft; go went gone going +shopping; hpf; adult; ; shop
fern|sehen; sieht sah gesehen; watch +TV; ghpft; person; ; home-inside
frühstücken; frühstückt frühstückte gefrühstückt; have had had having +breakfast; gt; adult; ; home/lodging
telefonieren; telefoniert telefonierte telefoniert; talk +on the phone; ghpft; adult; ; home
duschen; duscht duschte geduscht; shower; gt; adult; ;
auf|stehen; steht stand ist gestanden; get got gotten getting +up; ; person; ;
ein|schlafen; schläft schlief ist geschlafen; fall fell fallen +asleep; pt; person; ; asleep
um|ziehen; zieht zog ist gezogen; move; pbf; adult; ;
aus|gehen; geht ging ist gegangen; go went gone going +out; hpf; adult; ;
an|kommen; kommt kam ist gekommen; arrive; pf; adult; ;
ab|reisen; reist reiste ist gereist; leave left left; pf; adult; ;
auf|wachen; wacht wachte ist gewacht; wake woke woken +up; pt; person; ;
zurück|kommen; kommt kam ist gekommen; come came come +back; pf; adult; ;
angeln; angelt angelte geangelt; fish; ghpf; adult; ; fishing
lachen; lacht lachte gelacht; laugh; gpt; person; ;
weinen; weint weinte geweint; cry; gpt; child; ;
spielen; spielt spielte gespielt; play; ghp; child; ; play
sich aus|ruhen; ruht ruhte geruht; rest; gpft; adult; ; home
sich rasieren; rasiert rasierte rasiert; shave; gpft; Mann/Vater/Bruder/Onkel/Cousin; ; Badezimmer
sich beeilen; beeilt beeilte beeilt; hurry; p; person; ;
sich verlaufen; verläuft verlief verlaufen; get got gotten getting +lost; p; person; ; Wald/town
sich erkälten; erkältet erkältete erkältet; catch caught caught +a cold; p; person; ;
sich um|ziehen; zieht zog gezogen; change +clothes; gpft; adult; ;
sich verspäten; verspätet verspätete verspätet; run ran run running +late; p; adult; ;
"""

PREPOSITIONAL_VERBS = """
warten; wartet wartete gewartet; wait +for; ghpt; adult; auf acc someone p; waiting
warten; wartet wartete gewartet; wait +for; ghpt; adult; auf acc public d
denken; denkt dachte gedacht; think thought thought +of; mp; adult; an acc someone p
sich freuen; freut freute gefreut; look +forward to; o; person; auf acc awaited/Fest/Reise/Ausflug/Konzert d
sich freuen; freut freute gefreut; be was been +happy about; sp; person; über acc gift/sent d
sich interessieren; interessiert interessierte interessiert; be was been +interested in; s; person; für acc interest b
sich erinnern; erinnert erinnerte erinnert; remember; s; adult; an acc show/story/organized d
sich kümmern; kümmert kümmerte gekümmert; take took taken +care of; ghpf; adult; um acc pet d
sich bewerben; bewirbt bewarb beworben; apply +for; pbf; adult; um acc Stelle i
sich verlieben; verliebt verliebte verliebt; fall fell fallen +in love with; pb; adult; in acc someone p
sich beschweren; beschwert beschwerte beschwert; complain +about; gp; adult; über acc paid/lodging/Suppe d
sich vor|bereiten; bereitet bereitete bereitet; prepare +for; gpf; studies; auf acc passed/show/won d
sich unterhalten; unterhält unterhielt unterhalten; talk +with; gpf; adult; mit dat someone p; home/lodging
sprechen; spricht sprach gesprochen; speak spoke spoken +to; gpf; adult; mit dat someone p
träumen; träumt träumte geträumt; dream +of; m; person; von dat sold/Segelboot/Motorrad/Reise i
teil|nehmen; nimmt nahm genommen; take took taken +part in; pf; adult; an dat joined di
auf|passen; passt passte gepasst; look +after; ghpf; adult; auf acc younger/pet dp
lachen; lacht lachte gelacht; laugh +at; gpt; person; über acc Witz/show d
spielen; spielt spielte gespielt; play +with; ghp; child; mit dat toy/pet dp
sich verabschieden; verabschiedet verabschiedete verabschiedet; say said said +goodbye to; p; adult; von dat someone p
sich entschuldigen; entschuldigt entschuldigte entschuldigt; apologize +to; pf; person; bei dat someone p
diskutieren; diskutiert diskutierte diskutiert; argue +about; gpt; adult; über acc interest b
suchen; sucht suchte gesucht; search +for; gp; adult; nach dat lost p
lernen; lernt lernte gelernt; study +for; ghpf; studies; für acc passed d; quiet
"""

DATIVE_VERBS = """
helfen; hilft half geholfen; help; ghpf; adult; dat someone p; home-inside
danken; dankt dankte gedankt; thank; pf; adult; dat someone p
gratulieren; gratuliert gratulierte gratuliert; congratulate; pf; adult; dat someone p
zu|hören; hört hörte gehört; listen +to; gmpft; person; dat teacher d
antworten; antwortet antwortete geantwortet; reply +to; p; adult; dat someone p
vertrauen; vertraut vertraute vertraut; trust; s; adult; dat someone p
folgen; folgt folgte ist gefolgt; follow; gpt; person; dat famous/pet/watched d
begegnen; begegnet begegnete ist begegnet; run ran run running +into; p; adult; dat someone p; public
zu|winken; winkt winkte gewinkt; wave +to; pt; person; dat someone p
gehören; gehört gehörte gehört; belong +to; ; thing; dat someone p
"""

GIVING_VERBS = """
geben; gibt gab gegeben; give gave given giving; pf; adult; dat someone p, acc lent/gift/small i
schenken; schenkt schenkte geschenkt; give gave given giving; pbf; adult; dat someone p, acc gift/toy i
zeigen; zeigt zeigte gezeigt; show showed shown; gpf; adult; dat someone p, acc art/goods/written/Garten d
schicken; schickt schickte geschickt; send sent sent; pf; adult; dat someone p, acc sent/sent-online i
bringen; bringt brachte gebracht; bring brought brought; pf; adult; dat someone p, acc flower/dishes/news i
leihen; leiht lieh geliehen; lend lent lent; pf; adult; dat someone p, acc lent d
erzählen; erzählt erzählte erzählt; tell told told; gpf; adult; dat someone p, acc told i
vor|lesen; liest las gelesen; read read read; gpf; adult; dat younger p, acc Geschichte/Märchen/Gedicht i
mit|bringen; bringt brachte gebracht; bring brought brought; pf; adult; dat someone p, acc gift/baked i
an|bieten; bietet bot geboten; offer; pf; adult; dat someone p, acc brew/bread/fruit i
bauen; baut baute gebaut; build built built; gpblf; adult; dat younger p, acc built/Regal i
kaufen; kauft kaufte gekauft; buy bought bought; pf; adult; dat someone p, acc goods/toy i
"""

SPATIAL_VERBS = """
stehen; steht stand gestanden; stand stood stood; ; ; ;
liegen; liegt lag gelegen; lie lay lain; ; ; ;
hängen; hängt hing gehangen; hang hung hung; ; ; ;
sitzen; sitzt saß gesessen; sit sat sat sitting; ; ; ;
stellen; stellt stellte gestellt; put put put putting; gpf; adult; ;
legen; legt legte gelegt; put put put putting; gpf; adult; ;
hängen; hängt hängte gehängt; hang hung hung; gpf; adult; ;
sich setzen; setzt setzte gesetzt; sit sat sat sitting +down; pf; adult; ;
laufen; läuft lief ist gelaufen; run ran run running; ghpf; person; ;
gehen; geht ging ist gegangen; go went gone going; pf; adult; ;
fahren; fährt fuhr ist gefahren; go went gone going; pbf; adult; ;
fliegen; fliegt flog ist geflogen; fly flew flown; pbf; adult; ;
reisen; reist reiste ist gereist; travel; pbf; adult; ;
springen; springt sprang ist gesprungen; jump; gp; ; ;
wohnen; wohnt wohnte gewohnt; live; ; adult; ;
leben; lebt lebte gelebt; live; ; adult; ;
bleiben; bleibt blieb ist geblieben; stay; pf; adult; ;
"""

OTHER_VERBS = """
kosten; kostet kostete gekostet; cost cost cost; ; ; ;
kennen; kennt kannte gekannt; know knew known; ; adult; acc someone p
mögen; mag mochte gemocht; like; ; ; ;
haben; hat hatte gehabt; have had had; ; person; ;
sein; ist war ist gewesen; be was been; ; person; ;
kommen; kommt kam ist gekommen; come came come; pf; adult; ;
brauchen; braucht brauchte gebraucht; need; ; adult; acc goods i
besitzen; besitzt besaß besessen; own; ; adult; acc own i
gefallen; gefällt gefiel gefallen; please; ; thing; ;
versuchen; versucht versuchte versucht; try; ; adult; ;
beginnen; beginnt begann begonnen; begin began begun beginning; ; event; ;
vor|haben; hat hatte gehabt; plan planned planned planning; ; adult; ;
glauben; glaubt glaubte geglaubt; think thought thought; ; adult; ;
versprechen; verspricht versprach versprochen; promise; ; adult; ;
beschließen; beschließt beschloss beschlossen; decide; ; adult; ;
hoffen; hofft hoffte gehofft; hope; ; adult; ;
sagen; sagt sagte gesagt; say said said; ; adult; ;
wissen; weiß wusste gewusst; know knew known; ; adult; ;
hören; hört hörte gehört; hear heard heard; ; adult; ;
lassen; lässt ließ gelassen; have had had having; ; adult; ;
verlassen; verlässt verließ verlassen; leave left left; ; adult; ;
an|haben; hat hatte gehabt; wear wore worn; ; adult; ;
fressen; frisst fraß gefressen; eat ate eaten; g; animal; ;
ab|fahren; fährt fuhr ist gefahren; leave left left; ; line; ;
statt|finden; findet fand gefunden; take took taken +place; ; event; ;
sich waschen; wäscht wusch gewaschen; wash; ; ; ;
sich putzen; putzt putzte geputzt; brush; ; ; ;
"""
