"""The grammar behind `data.quickstart_corpus`: lexicon, inflection, clauses and sentence patterns."""
