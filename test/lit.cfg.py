# The configuration stands at the root of the project.
import os

lit_config.load_config(
    config, os.path.join(os.path.dirname(__file__), "..", "lit.cfg.py"))
