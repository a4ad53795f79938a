"""The workflows cannot run here: they are held to the schema that GitHub publishes, and to what the README promises."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "site.yml"


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        pytest.param(WORKFLOW, "vendor.github-workflows", id="workflow"),
        pytest.param(ROOT / ".github" / "dependabot.yml", "vendor.dependabot", id="dependabot"),
    ],
)
def test_a_file_of_github_follows_its_schema(path, schema):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_artifact_that_is_deployed_is_the_one_that_was_tested():
    text = WORKFLOW.read_text("utf-8")
    assert text.index("bash .ci/run") < text.index("upload-pages-artifact") < text.index("deploy-pages")
    assert "needs: test" in text
    assert text.count("run:") == 1  # nothing builds the site a second time


def test_a_page_that_is_missing_leads_home_from_any_depth(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={"SITE_URL": "https://someone.example/explainer/", "NO_MKDOCS_2_WARNING": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    missing = (tmp_path / "404.html").read_text("utf-8")
    assert '<a href="/explainer/index.html">' in missing
    assert 'href="assets/' not in missing  # nothing is looked for beside an address that does not exist
    assert 'src="assets/' not in missing
