"""Progress in a notebook that a real kernel runs."""

import json

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")


def test_progress_is_one_output_that_is_replaced(cluster, texts, tmp_path):
    code = f"""
import ontime
client = ontime.Client({cluster.address!r}, token={cluster.token!r}, outputs={str(tmp_path)!r})
client.wordcount({str(texts)!r}).to_dict()["the"]
"""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=None, kernel_name="python3").execute()
    shown, answer = notebook.cells[0].outputs
    assert "<progress value='1.000'>" in shown["data"]["text/html"], json.dumps(shown)
    assert "succeeded" in shown["data"]["text/html"]
    assert int(answer["data"]["text/plain"]) > 1000
