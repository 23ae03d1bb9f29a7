"""A server of a tiny model, for tests."""

from starlette.testclient import TestClient

from interacting_head.search.options import SearchOptions
from interacting_head.serve.application import application
from interacting_head.serve.service import Service
from interacting_head.serve.worker import Worker
from interacting_head.translation.translator import Translator
from tests.interacting_head.export import exports


class Serving:
    """A client of the application with a tiny model, or several."""

    def __init__(self, folder, *schemes):
        both = exports.subwords(folder)
        self.models = [exports.trained(both, scheme=scheme).model for scheme in schemes]
        options = SearchOptions(beam_size=3, max_length=6)
        self.translator = Translator(self.models, *both, options=options, languages=("de", "en"))
        self.worker = Worker(capacity=4)
        names = [f"run-{scheme}" for scheme in schemes]
        app = application(Service(self.translator, names), self.worker, ["translations.example"])
        self.client = TestClient(app, base_url="http://localhost:8000")

    def post(self, path, status=200, **body):
        response = self.client.post(path, json=body)
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/json"
        return response.json()
