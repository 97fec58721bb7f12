"""The steps of the demo. Each step uses one feature of Spindle and prints the result."""

import dataclasses

import review
import webhook
from agent import Agent, Expert
from client import Client
from desk import REVERSE, SORT, TASKS, TITLES, OrderBook
from exam import Exam, Reward
from screen import clock
from tracing import Recorder
from training import School

PROJECT = "demo/desk"
BASE_MODEL = "spindle-nano"
MODEL = "desk-clerk"
ALIAS = "production"


@dataclasses.dataclass(frozen=True)
class Plan:
    """The sizes of the steps."""

    asked: int = 50  # orders of each task in an evaluation
    taught: int = 400  # orders that the expert answers
    batch: int = 4
    peak: float = 3e-3  # the highest learning rate of SFT
    lessons: int = 3  # RL training jobs
    tried: int = 24  # orders per RL job
    attempts: int = 8  # answers per order
    rate: float = 5e-4
    row: int = 512  # tokens in a row; each row is one gradient step


QUICK = Plan(asked=4, taught=32, batch=8, lessons=1, tried=4, attempts=4)


class Story:
    """Runs the steps on a server and collects the results for the report."""

    def __init__(self, screen, plan, running, receiver):
        self._screen, self._plan, self._receiver = screen, plan, receiver
        self._client = Client(running.url, running.key)
        self._client.put(f"/api/v1/projects/{PROJECT}/completion-tracing", {"enabled": True})
        self._recorder = Recorder(self._client, PROJECT)
        self._book = OrderBook(plan.asked, plan.taught, plan.tried * plan.lessons)
        self._exam = self._school = None
        self.exams, self.lessons, self.rewards, self.chats = [], [], [], []
        self.differences, self.call, self.queue = {}, None, None

    def tell(self):
        self._prepare_webhook()
        self._examine_first()
        self._school = School(self._client, PROJECT, MODEL, BASE_MODEL)
        self._learn_from_expert()
        self._learn_from_attempts()
        self._compare()
        self._release()
        self._chat()

    @property
    def address(self):
        return self._school.address(ALIAS)

    def places(self):
        """Returns the screens of the console that show the steps, as (step, path) pairs."""
        team, here = PROJECT.partition("/")[0], f"p/{PROJECT}"
        runs = ",".join(self.exams[index].run_id for index in (0, -1))
        return [("traces as chats", f"{here}/traces?range=1h"), ("before and after", f"{here}/evals/compare?runs={runs}"),
                ("still wrong", f"{here}/queues/{self.queue}"), ("training data", f"{here}/artifacts/expert-answers/v0"),
                ("training, loss", f"{here}/training/{self.lessons[0].job_id}"),
                ("checkpoints", f"{here}/models/{MODEL}"), ("automations", f"t/{team}/automations"),
                ("webhook requests", f"t/{team}/deliveries")]

    def _prepare_webhook(self):
        self._screen.step("Create a webhook whose receiver accepts only signed requests")
        webhook.automate(self._client, PROJECT, self._receiver)
        self._screen.say(f"{self._receiver.url} will receive every finished training job and the alias `{ALIAS}`")

    def _agent(self, model, temperature=0.0):
        return Agent(self._client, self._recorder, self._book, model, temperature)

    def _sit_exam(self, name, model):
        orders = len(self._book.exam)
        result = self._exam.sit(name, self._agent(model),
                                lambda done: self._screen.progress(done, orders, "orders of the exam"))
        self.exams.append(result)
        for task in TASKS:
            share = result.of(task)
            self._screen.say(f"{TITLES[task]:<12} {self._screen.bar(share.share)} {share}")
        return result

    def _examine_first(self):
        self._screen.step(f"{BASE_MODEL} works at the order desk, every run traced: an exam, for the score before")
        self._exam = Exam(self._client, PROJECT, self._book.exam)
        result = self._sit_exam("before", BASE_MODEL)
        answers = self._recorder.wait_for_answers()
        self._screen.say(f"{len(result.outcomes)} traces, {answers} answers of the model. Two of them, read back as chats:")
        self._show_runs([_first_of(result.outcomes, task) for task in TASKS])

    def _show_runs(self, outcomes):
        for outcome in outcomes:
            lines = self._chat_of(outcome)
            self._screen.quote(lines)
            self.chats.append(lines)

    def _chat_of(self, outcome):
        """Returns a trace as Spindle's chat view, and the verifier's score, as (speaker, text) pairs."""
        chat = self._client.post("/agents/traces/chat", {"project_id": PROJECT, "trace_id": outcome.trace_id})
        lines = []
        for message in chat["messages"]:
            if said := message["user_message"]:
                lines.append(("user", said["text"]))
            elif (said := message["assistant_message"]) and said["text"]:
                lines.append(("assistant", said["text"]))
            elif called := message["tool_call"]:
                lines.append(("tool", f"{called['tool_name']}({called['tool_arguments']}) → {called['tool_result']}"))
        lines.append(("verifier", f"{outcome.score:.2f}" + ("" if outcome.score == 1 else
                                                           f", the right answer is: {outcome.order.right_answer()}")))
        return lines

    def _learn_from_expert(self):
        plan = self._plan
        self._screen.step("Trace an expert: a program that answers by rule, traced like the agent")
        Expert(self._recorder, self._book).run_all(self._book.taught)
        made = self._school.examples("expert-answers")
        self._screen.say(f"{made['num_trajectories']} traces that the verifier calls right → {made['artifact']}")
        self._screen.step(f"SFT on these traces: {TITLES[REVERSE]}")
        lesson = self._school.learn_from_examples(made, plan.batch, plan.peak, self._progress())
        self._keep(lesson, f"loss {_ends(lesson.series('loss'))}")
        self._sit_exam("after SFT", self._school.address())

    def _learn_from_attempts(self):
        plan = self._plan
        self._screen.step(f"RL on its own attempts: {TITLES[SORT]}; {plan.lessons} × {plan.tried} orders, "
                          f"{plan.attempts} attempts at each")
        for number in range(1, plan.lessons + 1):
            phase = f"RL {number}"
            orders = self._book.tried[(number - 1) * plan.tried:number * plan.tried]
            attempts = orders * plan.attempts
            outcomes = self._agent(self._school.address(), temperature=1.0).run_all(
                attempts, {"phase": phase}, lambda done: self._screen.progress(done, len(attempts), "attempts"))
            self._recorder.wait_for_answers()
            reward = Reward.of([outcome.score for outcome in outcomes])
            self.rewards.append(reward)
            groups = self._school.groups("own-attempts", phase)
            lesson = self._school.learn_from_rewards(phase, groups, {
                "learning_rate": plan.rate, "packed_sequence_length": plan.row,
                "logprob_calculation_chunk_size": plan.row}, self._progress())
            self._keep(lesson, f"mean reward of the attempts {reward.mean:.2f}")

    def _progress(self):
        def told(steps, total, seconds_left):
            numbers = [f"{name} {steps[-1][name]:.3f}" for name in ("loss", "reward") if steps and name in steps[-1]]
            left = [] if seconds_left is None else [f"{clock(seconds_left)} left"]
            note = "steps  " + "  ".join(numbers + left) if total else "the trainer starts"
            self._screen.progress(len(steps), total, note)
        return told

    def _keep(self, lesson, note):
        self.lessons.append(lesson)
        self._screen.say(f"{lesson.name}: {len(lesson.steps)} steps in {lesson.seconds:.0f} s, {note} "
                         f"→ {MODEL}:step{self._school.step}")

    def _compare(self):
        self._screen.step("The score after, on the same orders")
        after = self._sit_exam("after RL", self._school.address())
        for task in (*TASKS, None):
            self.differences[task or "all"] = self._exam.compare(self.exams[0], after, task)
            title = TITLES[task] if task else "both"
            self._screen.say(f"{title:<12} {self.differences[task or 'all']}")
        wrong = [outcome for outcome in after.outcomes if outcome.score < 1]
        self.queue = review.open_queue(self._client, PROJECT, wrong)
        self._screen.say(f"{len(wrong)} wrong answers wait in the annotation queue `{review.QUEUE}` for a person")

    def _release(self):
        self._screen.step(f"Step {self._school.step} gets the alias `{ALIAS}`, and the webhook is called")
        version = self._school.give_alias(ALIAS)
        calls = self._receiver.wait("ADD_ARTIFACT_ALIAS")
        if not calls:
            raise TimeoutError("the webhook was not called, or not with a valid signature")
        self.call = calls[0]
        self._screen.say(f"{MODEL}:v{version['version_index']} has the aliases {', '.join(version['aliases'])}")
        names = ("X-Svc-Event", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature", "X-Svc-Signature")
        self._screen.quote([("POST", self._receiver.url), *((name, self.call.headers[name]) for name in names),
                            *((name, str(value)) for name, value in self.call.body.items())])
        lessons = self._receiver.wait("TRAINING_JOB_FINISHED", len(self.lessons))
        self._screen.say(self._screen.green("✓ the signatures are right") + "; so were those of the calls about " +
                         ", ".join(call.body["what"].rpartition(":")[2] for call in lessons))

    def _chat(self):
        self._screen.step(f"Repeat the first two orders with {self.address}")
        orders = [_first_of(self.exams[0].outcomes, task).order for task in TASKS]
        outcomes = self._agent(self.address).run_all(orders, {"phase": ALIAS})
        self._recorder.wait_for_answers()
        self._show_runs(outcomes)


def _first_of(outcomes, task):
    """Returns the first wrong outcome of a task, or its first outcome."""
    of_task = [outcome for outcome in outcomes if outcome.order.task == task]
    return next((outcome for outcome in of_task if outcome.score < 1), of_task[0])


def _ends(values):
    return f"{values[0]:.2f} → {values[-1]:.2f}" if values else "unknown"
