"""The grammar behind `data.quickstart_corpus`: lexicon tables, inflection, clauses and sentence patterns."""
