"""The report: a page with the plots inside, the plots as files, and the numbers as JSON."""

import html
import json

import desk
import plots
import story
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
    """Returns all results of the demo."""
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
    """Returns the plots by name."""
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
    """Yields each order's chat from the beginning and from the end."""
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
<p class="lead">Traced, evaluated, trained and released by Spindle on one machine in {clock(seconds)} minutes,
{clock(trained)} of them training. Base model: {story.BASE_MODEL} (7 million parameters).</p>
<div class="cards">{"".join(_cards(told))}</div>
<h2>Evaluations</h2>
{pictures["scores"]}{_table(told)}
<p>Every evaluation uses the same held-out orders, which no training contains. The server computed the differences above
order by order, with a 95 % bootstrap interval. A difference is significant if its interval does not contain 0. Training one
task can make the other worse, so both tasks are evaluated every time.</p>
<h2>Learning from an expert</h2>
<p>The base model almost never answers long lists correctly, so its own traces contain no examples of this task. The
examples are traces of an expert: a program that answers by rule, traced like the agent, and selected by the verifier's
feedback.</p>
{pictures["loss"]}
<h2>Learning from its own attempts</h2>
<p>The model can sort, but it mostly misunderstands the wording of the desk (“{desk.PRICES_REQUEST.format(items="…")}”).
It answers each order several times, with the verifier's feedback as the reward. Training makes the better answers of each
group more likely; no example answers are used. Each training job begins with answers of the newest checkpoint for orders that
no earlier job used.</p>
{pictures["reward"]}
<h2>Two orders, before and after</h2>
{"".join(_before_and_after(told.chats))}
<h2>The webhook request</h2>
<p>Sent when the checkpoint got the alias <code>{story.ALIAS}</code>. The receiver verified both signatures.</p>
{_quoted(call)}
<h2>The model</h2>
<p>Use <code>{html.escape(told.address)}</code> as the <code>model</code> of requests to
<code>/v1/chat/completions</code> of this server.</p>
</html>
"""


def write(folder, told, seconds):
    """Writes report.html with embedded plots, the plots as files, and report.json. Returns the path of the page."""
    for name, picture in drawn(told).items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(figures(told, seconds), indent=1) + "\n", encoding="utf-8")
    path = folder / "report.html"
    path.write_text(page(told, seconds), encoding="utf-8")
    return path
