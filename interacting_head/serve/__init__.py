"""A web page that translates with a trained model and shows its attention: `interacting-head serve`.

JSON requests (`requests.py`) come in, translations and attention weights go out. Start at `application.py`: it serves
the page or passes a request to the `Worker`, in whose thread a `Service` calls the model.
"""
