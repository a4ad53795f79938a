"""The workflows cannot run here, so they are checked against GitHub's schema and against what the README says."""

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
def test_a_file_for_github_matches_its_schema(path, schema):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_deploys_the_site_that_it_tested():
    text = WORKFLOW.read_text("utf-8")
    assert text.index("bash .ci/run") < text.index("upload-pages-artifact") < text.index("deploy-pages")
    assert "needs: test" in text
    assert text.count("run:") == 1  # nothing builds the site a second time


def test_the_page_for_missing_addresses_links_to_the_article_from_any_depth(tmp_path):
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
    assert 'href="assets/' not in missing  # a relative address would be looked for beside the missing page
    assert 'src="assets/' not in missing
