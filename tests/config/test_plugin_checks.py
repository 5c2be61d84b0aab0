"""A check of a plugin is configured like any other."""

from __future__ import annotations

import pytest
import yaml
from receval import load_config
from receval.checks import Check, Limit, table
from receval.health import HealthCheck, Tally, check, checker
from receval.support.errors import ConfigError

from tests.conftest import CONFIGS


@pytest.fixture
def plugin():
    """Register a check with the id Z01 that finds every list."""

    @check(
        Check("Z01", "info", "a list is there", "nothing", {"max_share": Limit(0.0, "the share of lists up to which it passes", most=1.0)})
    )
    class EveryList(HealthCheck):
        def tally(self, part):
            return Tally.of(lists=int((part.lists.counts > 0).sum()))

        def finding(self, tally, context):
            return self.symptom(context, "There are lists.", tally.count("lists"), 2 * tally.count("lists"))

    yield EveryList
    del table._DECLARED["Z01"], checker._CHECKERS["Z01"]


@pytest.mark.usefixtures("plugin")
def test_severity_and_limits_of_a_plugin_check_come_from_the_config(receval):
    path = CONFIGS / "quickstart.yaml"
    code, out, _ = receval("check", path, "--set", "health.Z01=error")
    assert (code, "error Z01  knn, popular, random: There are lists." in out) == (1, True)
    code, out, _ = receval("check", path, "--set", "health.Z01={severity: error, max_share: 0.5}")
    assert (code, "Z01" in out) == (0, False)
    assert "note Z01  knn, popular, random: There are lists." in receval("check", path)[1]
    assert "Z01" not in receval("check", path, "--set", "health=off")[1]


@pytest.mark.usefixtures("plugin")
def test_the_resolved_config_has_the_plugin_check_and_reads_back():
    loaded = load_config(CONFIGS / "quickstart.yaml", ["health.Z01={severity: warn, max_share: 0.1}", "health.R05=off"])
    assert loaded.resolved()["health"] == {"R05": "off", "Z01": {"severity": "warn", "max_share": 0.1}}
    assert yaml.safe_load(loaded.resolved_yaml())["health"] == loaded.resolved()["health"]
    assert loaded.config.health.settings["Z01"].limits == {"max_share": 0.1}


@pytest.mark.usefixtures("plugin")
def test_a_wrong_setting_of_a_plugin_check_is_reported_at_its_place():
    with pytest.raises(ConfigError, match=r"health\.Z01: unknown key 'most'; known: severity, max_share"):
        load_config(CONFIGS / "quickstart.yaml", ["health.Z01={most: 1}"])


def test_an_undeclared_check_is_an_unknown_key():
    with pytest.raises(ConfigError, match=r"health\.Z01: unknown key 'Z01' — did you mean 'X01'"):
        load_config(CONFIGS / "quickstart.yaml", ["health.Z01=error"])
    with pytest.raises(ConfigError, match=r"health\.R4: unknown key 'R4' — did you mean 'R04'\?"):
        load_config(CONFIGS / "quickstart.yaml", ["health.R4=error"])
