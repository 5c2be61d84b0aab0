"""What `import receval` has; names are imported when they are first used."""

from . import functional as functional
from . import testing as testing
from .actions.outcome import RunRecord as RunRecord
from .api.across import AcrossResult as AcrossResult
from .api.across import compare_across as compare_across
from .api.calls import Evaluator as Evaluator
from .api.calls import audit as audit
from .api.calls import check as check
from .api.calls import describe as describe
from .api.calls import enriched as enriched
from .api.calls import evaluate as evaluate
from .api.calls import evaluate_config as evaluate_config
from .api.calls import explain as explain
from .api.calls import load_results as load_results
from .api.calls import score as score
from .api.charts import DrawnChart as DrawnChart
from .api.comparisons import ComparisonResult as ComparisonResult
from .api.comparisons import GatePlanResult as GatePlanResult
from .api.comparisons import GateVerdicts as GateVerdicts
from .api.comparisons import compare as compare
from .api.comparisons import gate as gate
from .api.comparisons import plan_gate as plan_gate
from .api.diffs import DiffResult as DiffResult
from .api.diffs import diff as diff
from .api.epoch_values import EpochValues as EpochValues
from .api.evaluation_result import EvaluationResult as EvaluationResult
from .api.experiment import Experiment as Experiment
from .api.series import HistoryResult as HistoryResult
from .api.series import LeaderboardResult as LeaderboardResult
from .api.series import history as history
from .api.series import leaderboard as leaderboard
from .api.tracking import track as track
from .api.users import UserResult as UserResult
from .api.users import user as user
from .config import Loaded as Loaded
from .config import load_config as load_config
from .evaluation.progress import Progress as Progress
from .evaluation.running import run as run
from .load.in_memory.matrices import Matrix as Matrix
from .metrics.own import Item as Item
from .metrics.own import metric as metric
from .results.audit import Audit as Audit
from .results.description import Description as Description
from .results.explanation import Explanation as Explanation
from .results.gates import Gate as Gate
from .results.result import Counts as Counts
from .results.result import Input as Input
from .results.result import InputFile as InputFile
from .results.result import Result as Result
from .results.result import Row as Row
from .support.errors import ConfigError as ConfigError
from .support.errors import DataError as DataError
from .support.errors import MissingExtraError as MissingExtraError
from .support.errors import RecevalError as RecevalError

__all__ = [
    "AcrossResult",
    "Audit",
    "ComparisonResult",
    "ConfigError",
    "Counts",
    "DataError",
    "Description",
    "DiffResult",
    "DrawnChart",
    "EpochValues",
    "EvaluationResult",
    "Evaluator",
    "Experiment",
    "Explanation",
    "Gate",
    "GatePlanResult",
    "GateVerdicts",
    "HistoryResult",
    "Input",
    "InputFile",
    "Item",
    "LeaderboardResult",
    "Loaded",
    "Matrix",
    "MissingExtraError",
    "Progress",
    "RecevalError",
    "Result",
    "Row",
    "RunRecord",
    "UserResult",
    "audit",
    "check",
    "compare",
    "compare_across",
    "describe",
    "diff",
    "enriched",
    "evaluate",
    "evaluate_config",
    "explain",
    "gate",
    "history",
    "leaderboard",
    "load_config",
    "load_results",
    "metric",
    "plan_gate",
    "run",
    "score",
    "track",
    "user",
]
__version__: str
