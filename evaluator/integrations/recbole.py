"""Evaluate a model of RecBole on one of its data loaders: the full ranking, with the numbers of RecBole by default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from ..api.calls import Evaluator
from ..api.epoch_values import EpochValues, EvaluatorArguments
from ..load.in_memory.matrices import Matrix
from ..support.errors import ConfigError
from .epochs import missing_library

try:
    import torch
    from recbole.data.dataloader import FullSortEvalDataLoader
except ModuleNotFoundError as error:
    raise missing_library(error, "recbole", "torch", "recbole") from None


class RecBoleEvaluation:
    """Evaluate models of RecBole on the valid or test data that `data_preparation` returns, in full ranking (`eval_args.mode: full`).

        evaluation = RecBoleEvaluation(valid_data, metrics=["nDCG@10", "Recall@10"])
        trainer.fit(train_data, valid_data, callback_fn=lambda epoch, score: print(epoch, evaluation(trainer.model)))
        evaluation(trainer.model)

    The test set is that of the loader, and items of the history have no score, as in RecBole. `convention` is recbole unless given. The
    other arguments are those of `receval.Evaluator`, with the ids of the files of RecBole. Each row of a sequential loader is a user.
    Raises `ConfigError` for a loader with sampled items.
    """

    def __init__(self, data: Any, **arguments: Unpack[EvaluatorArguments]) -> None:
        if not isinstance(data, FullSortEvalDataLoader):
            raise ConfigError(f"{type(data).__name__} does not rank all items", "set mode: full in eval_args of the config of RecBole")
        dataset = data.dataset
        self._data, self._items = data, dataset.id2token(dataset.iid_field, np.arange(dataset.item_num))
        test: dict[str, list[str]] = {}
        for users, (_, _, positive_users, positive_items) in self._batches():
            for row, item in zip(positive_users.tolist(), positive_items.tolist(), strict=True):
                test.setdefault(users[row], []).append(self._items[item])
        self._evaluator = Evaluator(**EvaluatorArguments(**{"convention": "recbole", **arguments, "test": test}))

    def __call__(self, model: Any) -> EpochValues:
        """Return the values of a model; it is in evaluation mode afterwards."""
        model.eval()
        with torch.no_grad():
            for users, (interaction, history, _, _) in self._batches():
                scores = self._scores(model, interaction.to(model.device)).view(len(users), -1)
                scores[:, 0] = -torch.inf  # the padding
                if history is not None:
                    scores[history] = -torch.inf
                self._evaluator.update(users, Matrix(scores.cpu().numpy(), items=self._items))
        return self._evaluator.compute()

    def _batches(self) -> Iterator[tuple[list[str], Any]]:
        """Yield the batches of the loader with the ids of their users; of sequential data each row is a user."""
        dataset, n_rows = self._data.dataset, 0
        for batch in self._data:
            users = batch[0][dataset.uid_field].numpy()
            rows = [str(row) for row in range(n_rows, n_rows + len(users))]
            yield rows if self._data.is_sequential else dataset.id2token(dataset.uid_field, users).tolist(), batch
            n_rows += len(users)

    def _scores(self, model: Any, interaction: Any) -> Any:
        """Return the scores of all items; of a model without a full ranking pair by pair, as RecBole does."""
        try:
            return model.full_sort_predict(interaction)
        except NotImplementedError:
            pairs = interaction.repeat_interleave(len(self._items))
            pairs.update(self._data.dataset.get_item_feature().to(model.device).repeat(len(interaction)))
            return model.predict(pairs)


def evaluate(model: Any, data: Any, **arguments: Unpack[EvaluatorArguments]) -> EpochValues:
    """Return the values of a model of RecBole on a data loader; the arguments are those of `RecBoleEvaluation`."""
    return RecBoleEvaluation(data, **arguments)(model)
