"""Small files in the formats of IWSLT and WMT, in German and English."""

TALKS_DE = """\
<url>http://example.org/talks/one</url>
<keywords>talks, water</keywords>
<speaker>Eva Beispiel</speaker>
<talkid>12</talkid>
<title>Eva Beispiel: Über das Wasser</title>
<description>Ein kurzer Vortrag.</description>
 Guten Morgen, alle miteinander.
Zwei < drei, und F&E kostet Geld.
<url>http://example.org/talks/two</url>
<talkid>13</talkid>
<title>Noch einer</title>
<description>Mehr nicht.</description>
<reviewer href="http://example.org/x">Max</reviewer>
<translator href="http://example.org/y">Lea</translator>
Danke.
"""
TALKS_EN = """\
<url>http://example.org/talks/one</url>
<keywords>talks, water</keywords>
<speaker>Eva Beispiel</speaker>
<talkid>12</talkid>
<title>Eva Beispiel: About water</title>
<description>A short talk.</description>
 Good morning, everybody.
Two < three, and R&D costs money.
<url>http://example.org/talks/two</url>
<talkid>13</talkid>
<title>One more</title>
<description>That is all.</description>
Thank you.
"""
XML_DE = """\
<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<srcset setid="some-set" srclang="german">
<doc docid="12" genre="lectures">
<url>http://example.org/talks/one</url>
<talkid>12</talkid>
<title>Über das Wasser</title>
<seg id="1"> Wasser &amp; Brot. </seg>
<seg id="2"> Es ist
 kalt &lt;hier&gt;. </seg>
</doc>
</srcset>
</mteval>
"""
XML_EN = XML_DE.replace("Wasser &amp; Brot", "Water &amp; bread").replace(
    "Es ist\n kalt &lt;hier", "It is\n cold &lt;here"
)
SGM_DE = """\
<srcset setid="newstest2099" srclang="any">
<doc sysid="ref" docid="paper-1" genre="news" origlang="de">
<hl>
<seg id="1">Regen & Wind über der Stadt</seg>
</hl>
<p>
<seg id="2">Er sagte: &quot;Nein.&quot;</seg> <seg id="3"> Ende
der Meldung. </seg>
</doc>
</srcset>
"""
SGM_EN = """\
<refset setid="newstest2099" srclang="any" trglang="en">
<doc sysid="ref" docid="paper-1" genre="news" origlang="de">
<hl>
<seg id="1">Rain & wind over the city</seg>
</hl>
<p>
<seg id="2">He said: "No."</seg>
<seg id="3">End of the message.</seg>
</p>
</doc>
</refset>
"""
