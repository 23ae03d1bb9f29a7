"""A web page that translates with a trained model and shows its attention: `python -m interacting_head.serve`.

Requests in JSON (`forms.py`) come in, translations and attention weights in JSON go out. Start at `application.py`: it
answers with the page or hands a request to the `Worker`, in whose thread a `Service` calls the model.
"""
