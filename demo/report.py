"""The report: a page with the plots inside, the plots as files, and the numbers as JSON."""

import html
import json

import desk
import plots
import story as telling
from desk import TASKS, TITLES
from screen import clock

STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; color: #1f2933; background: #f5f7fa; margin: 0 auto; max-width: 44rem;
       padding: 2rem 1rem 4rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.lead { color: #52606d; margin-top: 0; }
svg { width: 100%; height: auto; margin: .4rem 0; box-shadow: 0 1px 3px #0002; border-radius: 6px; }
table { border-collapse: collapse; width: 100%; background: #fff; }
th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #d9e2ec; font-variant-numeric: tabular-nums; }
pre { background: #1f2933; color: #f5f7fa; padding: .8rem 1rem; border-radius: 6px; font-size: .82rem;
      white-space: pre-wrap; overflow-wrap: anywhere; }
h3 { font-size: .95rem; margin: 1rem 0 -.6rem; color: #52606d; font-weight: 600; }
small { color: #52606d; } code { font-size: .85em; overflow-wrap: anywhere; }
.cards { display: flex; gap: 1rem; flex-wrap: wrap; }
.card { background: #fff; padding: .8rem 1.1rem; border-radius: 6px; flex: 1 1 12rem; box-shadow: 0 1px 3px #0002; }
.card b { font-size: 1.5rem; display: block; }
"""


def figures(told, seconds):
    """All numbers of the story."""
    def share(found):
        low, high = found.interval
        return {"right": found.right, "asked": found.asked, "share": found.share, "low": low, "high": high}
    return {
        "seconds": seconds,
        "exams": [{"name": result.name, "model": result.model, "evaluation_run_id": result.run_id,
                   "tasks": {task: share(result.of(task)) for task in TASKS}} for result in told.exams],
        "differences": {task: vars(difference) for task, difference in told.differences.items()},
        "lessons": [{"name": lesson.name, "job_id": lesson.job_id, "seconds": lesson.seconds,
                     "steps": len(lesson.steps), "loss": lesson.series("loss")} for lesson in told.lessons],
        "rewards": [vars(reward) for reward in told.rewards],
        "webhook": {"event": told.call.event, "genuine": told.call.genuine, "headers": told.call.headers,
                    "body": told.call.body},
        "model": told.address,
    }


def drawn(told):
    """The plots, by name."""
    exams = told.exams
    shares = [(TITLES[task], [(result.of(task).share, result.of(task).interval) for result in exams]) for task in TASKS]
    rewards = [(f"lesson {number}", reward.mean, (reward.low, reward.high))
               for number, reward in enumerate(told.rewards, 1)]
    losses = told.lessons[0].series("loss")
    return {
        "scores": plots.bars("Orders answered right", "held-out orders, greedy; whiskers: Wilson, 95 %",
                             [result.name for result in exams], shares),
        "loss": plots.curve("Learning from examples", "loss per labelled token", "step", losses),
        "reward": plots.climb("Learning from rewards",
                              "mean reward of the attempts that each lesson begins with; 95 %", rewards),
    }


def _cards(told):
    for task in TASKS:
        before, after = told.exams[0].of(task), told.exams[-1].of(task)
        yield (f'<div class="card">{TITLES[task]}<b>{plots.percent(before.share)} → {plots.percent(after.share)}</b>'
               f"{html.escape(str(told.differences[task]))}</div>")


def _cell(found):
    low, high = found.interval
    return (f"<td>{plots.percent(found.share)}<br><small>{found.right} of {found.asked}; "
            f"{100 * low:.0f}–{plots.percent(high)}</small></td>")


def _table(told):
    heads = "".join(f"<th>{html.escape(TITLES[task])}</th>" for task in TASKS)
    rows = "".join(f"<tr><td>{html.escape(result.name)}</td>" + "".join(_cell(result.of(task)) for task in TASKS) +
                   f"<td><code>{html.escape(result.model)}</code></td></tr>" for result in told.exams)
    return f"<table><tr><th>exam</th>{heads}<th>model</th></tr>{rows}</table>"


def _quoted(lines):
    width = max(len(who) for who, _ in lines)
    return "<pre>" + html.escape("\n".join(f"{who:<{width}}  {what}" for who, what in lines)) + "</pre>"


def _before_and_after(chats):
    """Each order's chat of the beginning and the one of the end."""
    half = len(chats) // 2
    for before, after in zip(chats[:half], chats[half:]):
        yield f"<h3>before</h3>{_quoted(before)}<h3>after</h3>{_quoted(after)}"


def page(told, seconds):
    pictures = drawn(told)
    trained = sum(lesson.seconds for lesson in told.lessons)
    call = [*told.call.headers.items(), *((name, str(value)) for name, value in told.call.body.items())]
    return f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Spindle: an order desk learns its job</title><style>{STYLE}</style>
<h1>An order desk learns its job</h1>
<p class="lead">Traced, examined, trained and released by Spindle on one machine in {clock(seconds)} minutes,
{clock(trained)} of them training. Base model: {telling.BASE_MODEL} (7 million parameters).</p>
<div class="cards">{"".join(_cards(told))}</div>
<h2>The exams</h2>
{pictures["scores"]}{_table(told)}
<p>The same held-out orders every time; no training saw them. The differences above are taken order by order by the
server, with a bootstrap interval of 95 %. An interval that does not hold 0 is a difference worth believing. What one
lesson teaches may cost something elsewhere; that is why both tasks are examined every time.</p>
<h2>Learning from an expert</h2>
<p>The base model is next to never right about long lists, so there is nothing in its own traces to learn that from. The
examples are traces of an expert: a program that answers by rule, recorded like the agent, chosen by the verifier's
feedback.</p>
{pictures["loss"]}
<h2>Learning from its own attempts</h2>
<p>Sorting it can do, but the desk asks in words of its own (“{desk.PRICES_REQUEST.format(items="…")}”), which it
mostly misunderstands. It tries each order several times, the verifier's feedback is the reward, and what did better
than its siblings becomes likelier: nobody shows it an answer. Each lesson begins with attempts of the newest checkpoint
at orders that no lesson before it had.</p>
{pictures["reward"]}
<h2>Two orders, before and after</h2>
{"".join(_before_and_after(told.chats))}
<h2>The call to the webhook</h2>
<p>When the checkpoint got the alias <code>{telling.ALIAS}</code>. Both signatures were checked by the receiver.</p>
{_quoted(call)}
<h2>The model</h2>
<p><code>{html.escape(told.address)}</code> is the <code>model</code> of any request to
<code>/v1/chat/completions</code> of this server.</p>
</html>
"""


def write(folder, told, seconds):
    """report.html with everything in it, the plots beside it, and report.json. The path of the page."""
    for name, picture in drawn(told).items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(figures(told, seconds), indent=1) + "\n", encoding="utf-8")
    path = folder / "report.html"
    path.write_text(page(told, seconds), encoding="utf-8")
    return path
