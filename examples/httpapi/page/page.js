// Draws the orders of each day. It needs only their IDs: the first 8 of the 24 hex
// digits are the seconds since 1970. Days are those of the browser's time zone.

const element = (id) => document.getElementById(id);
const created = (id) => parseInt(id.slice(0, 8), 16) * 1000;
const secondsOf = (date) => Math.floor(date / 1000).toString(16).padStart(8, "0"); // the first 8 digits of IDs

// Texts.
const number = (n) => n.toLocaleString("en");
const orders = (n) => `${number(n)} ${n === 1 ? "order" : "orders"}`;
const weeks = (days) => `${days / 7} weeks`;
const format = (options) => new Intl.DateTimeFormat("en-GB", options);
const longDate = format({ weekday: "short", day: "numeric", month: "long", year: "numeric" });
const rangeDate = format({ day: "numeric", month: "long", year: "numeric" });
const shortDate = format({ day: "numeric", month: "short" });
const clock = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayClock = format({ weekday: "short", hour: "2-digit", minute: "2-digit" });
const compact = new Intl.NumberFormat("en", { notation: "compact" });
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// say tells screen readers what happened.
const say = (text) => { element("status").textContent = text; };

// ask returns the JSON of the server's answer. Its errors are texts for people.
async function ask(path, options = {}) {
  const seconds = 20;
  const limit = AbortSignal.timeout(seconds * 1000);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  let answer, body;
  try {
    answer = await fetch(path, { ...options, signal });
    body = await answer.json();
  } catch {
    if (limit.aborted) throw new Error(`The server did not answer within ${seconds} seconds.`);
    if (answer && !answer.ok) throw new Error(`The server answered ${answer.status}, without a reason.`);
    throw new Error("The server can't be reached. Check that it runs.");
  }
  if (!answer.ok) throw new Error(body.detail ?? body.title);
  return body;
}

// load returns all IDs made at or after from. After each page it calls progress with
// the part that is loaded: IDs come in the order of time.
async function load(from, signal, progress) {
  const ids = [];
  const now = Date.now();
  let path = `/ids?limit=1000&from=${from.toISOString()}`;
  while (path) {
    const body = await ask(path, { signal });
    ids.push(...body.ids);
    if (body.ids.length > 0) progress((created(ids.at(-1)) - from) / (now - from));
    path = body.next;
  }
  return ids;
}

// The days and IDs that are shown, and the start of the column that somebody picked.
let shown = { days: 91, from: new Date(), ids: [], time: Infinity };
let columns = []; // [{start, end, ids, button}], in order

let wanted = shown.days; // the last click on a number of weeks
let loading = new AbortController();

// show loads and draws the last days. It gives up when it is called again.
async function show(days) {
  wanted = days;
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  delete document.body.dataset.loaded;
  for (const button of document.querySelectorAll("[data-days]")) {
    button.setAttribute("aria-pressed", Number(button.dataset.days) === days);
  }
  const bar = element("loading");
  const progress = (part) => { if (!signal.aborted) bar.value = part; };
  bar.value = 0;
  bar.dataset.busy = "";

  const now = new Date();
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1);
  let error;
  let ids = [];
  try {
    ids = await load(from, signal, progress);
  } catch (e) {
    error = e;
  }
  if (signal.aborted) return; // a later click is answered instead

  delete bar.dataset.busy;
  shown = { ...shown, days, from, ids };
  element("error").hidden = !error;
  element("empty").hidden = Boolean(error) || ids.length > 0;
  element("filled").hidden = Boolean(error) || ids.length === 0;
  element("summary").textContent = `The last ${weeks(days)}`;
  if (error) {
    element("error-detail").textContent = error.message; // an alert: screen readers read it
  } else if (ids.length === 0) {
    element("empty-title").textContent = `No orders in the last ${weeks(days)}`;
    say(element("empty-title").textContent);
  } else {
    draw();
    element("summary").textContent = `${orders(ids.length)} in ${weeks(days)}, about ${number(Math.round(ids.length / days))} a day`;
    say(element("summary").textContent);
  }
  document.body.dataset.loaded = days;
}

// split returns the columns of the chart. Where columns of one day are too narrow to be
// hit, a column has 2 or 7 days.
function split() {
  const { days, from, ids } = shown;
  const least = matchMedia("(pointer: coarse), (max-width: 640px)").matches ? 24 : 8; // pixels
  const most = Math.floor(element("columns").clientWidth / least);
  const perColumn = [1, 2].find((n) => days / n <= most) ?? 7;
  const day = (i) => new Date(from.getFullYear(), from.getMonth(), from.getDate() + i);
  const result = [];
  for (let i = 0; i < days; i += perColumn) {
    result.push({ start: day(i), last: day(i + perColumn - 1), end: day(i + perColumn), ids: [] });
  }
  let at = 0;
  for (const id of ids) {
    while (at < result.length - 1 && created(id) >= result[at].end) at++;
    result[at].ids.push(id);
  }
  element("title").textContent = { 1: "Orders per day", 2: "Orders per 2 days", 7: "Orders per week" }[perColumn];
  return result;
}

const name = ({ start, last }) => start < last ? rangeDate.formatRange(start, last) : longDate.format(start);

// niceStep returns 1, 2 or 5 times a power of ten that divides max into about four.
function niceStep(max) {
  const rough = Math.max(max / 4, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((n) => n * power >= rough) * power;
}

function make(tag, properties, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

function draw() {
  const list = element("columns");
  const focused = list.contains(document.activeElement);
  columns = split();
  const most = Math.max(...columns.map((c) => c.ids.length));
  const step = niceStep(most);
  const max = Math.max(1, Math.ceil(most / step)) * step;

  const lines = [];
  for (let n = 0; n <= max; n += step) {
    const line = make("span", {}, make("b", { textContent: compact.format(n) }));
    line.style.setProperty("--at", n / max);
    lines.push(line);
  }
  element("grid").replaceChildren(...lines);

  const width = list.clientWidth / columns.length;
  const every = [1, 2, 3, 7, 14].find((n) => n * width >= 64);
  list.replaceChildren(...columns.map((column, i) => {
    const bar = make("span", { className: "bar" });
    bar.style.setProperty("--share", column.ids.length / max);
    column.button = make("button", { type: "button", className: "column", tabIndex: -1, title: `${name(column)}: ${orders(column.ids.length)}` }, bar);
    column.button.setAttribute("role", "option");
    column.button.setAttribute("aria-label", column.button.title);
    column.button.setAttribute("aria-selected", false);
    column.button.dataset.count = column.ids.length;
    column.button.addEventListener("click", () => pick(i));
    return column.button;
  }));
  element("dates").replaceChildren(...columns.flatMap((column, i) => {
    if ((columns.length - 1 - i) % every > 0) return [];
    const date = make("span", { textContent: shortDate.format(column.start) });
    date.style.setProperty("--at", (i + 0.5) / columns.length);
    return [date];
  }));
  // Not pick: on a narrow screen the column is a week, and a wide one shows the day again.
  const same = columns.findIndex((c) => c.start <= shown.time && shown.time < c.end);
  showColumn(same < 0 ? columns.findLastIndex((c) => c.ids.length > 0) : same);
  if (focused) list.querySelector('[tabindex="0"]').focus();
}

// pick is what a click does.
function pick(i) {
  shown.time = columns[i].start.getTime();
  showColumn(i);
}

// showColumn shows the range of keys that a column is, and its last IDs. What each digit
// tells has a color.
function showColumn(i) {
  const column = columns[i];
  for (const { button } of columns) {
    button.setAttribute("aria-selected", button === column.button);
    button.tabIndex = button === column.button ? 0 : -1;
  }
  const n = column.ids.length;
  const most = 8;
  element("picked-name").textContent = name(column);
  element("picked-count").textContent = orders(n) + (n > most ? `, the last ${most} below` : "");
  element("earlier").setAttribute("aria-disabled", i === 0);
  element("later").setAttribute("aria-disabled", i === columns.length - 1);
  const bound = (text, date) => make("span", { className: "bound" }, text, make("span", { className: "seconds", textContent: secondsOf(date) }), "0".repeat(16));
  element("condition").replaceChildren(bound("id >= ", column.start), " ", bound("AND id < ", column.end));
  element("api").href = `/orders?from=${column.start.toISOString()}&to=${column.end.toISOString()}`;
  element("picked-ids").replaceChildren(...column.ids.slice(-most).reverse().map((id) => {
    const time = new Date(created(id));
    const parts = [["seconds", 0, 8], ["process", 8, 18], ["counter", 18, 24]];
    return make("li", {},
      make("time", { dateTime: time.toISOString(), textContent: (column.start < column.last ? dayClock : clock).format(time) }),
      make("code", {}, ...parts.map(([className, from, to]) => make("span", { className, textContent: id.slice(from, to) }))));
  }));
}

// move picks the column that is so many after the one that is picked, if it is there.
function move(by) {
  const i = columns.findIndex((c) => c.button.tabIndex === 0) + by;
  if (i < 0 || i >= columns.length) return;
  pick(i);
  say(columns[i].button.title);
}
element("earlier").addEventListener("click", () => move(-1));
element("later").addEventListener("click", () => move(1));

element("columns").addEventListener("keydown", (e) => {
  const i = columns.findIndex((c) => c.button === e.target);
  const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: columns.length - 1 }[e.key];
  if (to === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
  e.preventDefault();
  if (!columns[to]) return;
  pick(to);
  columns[to].button.focus(); // its label tells the time and the count
});

// create makes sample orders in many small requests, and shows how far it is.
let stopped = false;
async function create(total) {
  const bar = element("created");
  const result = element("create-result");
  const tell = (n) => {
    bar.value = n / total;
    result.textContent = `${number(n)} of ${orders(total)} created`;
  };
  stopped = false;
  element("offers").hidden = true;
  element("creating").hidden = false;
  element("stop").textContent = "Stop";
  element("stop").focus();
  tell(0);
  say(`Creating ${orders(total)}`);
  let made = 0;
  let error;
  try {
    for (let quarter = 1; made < total && !stopped;) {
      const body = JSON.stringify({ count: Math.min(1000, total - made) });
      made += (await ask("/samples", { method: "POST", headers: { "Content-Type": "application/json" }, body })).created;
      tell(made);
      if (made < total && made >= total * quarter / 4) {
        say(result.textContent);
        quarter++;
      }
    }
  } catch (e) {
    error = e;
  }
  const focused = document.activeElement === element("stop");
  element("creating").hidden = true;
  element("offers").hidden = false;
  if (focused) document.querySelector(`[data-orders="${total}"]`).focus();
  await show(wanted);
  if (error) result.textContent += `. Then an error stopped it: ${error.message}`;
  else if (made < total) result.textContent += ". You stopped it.";
  else result.textContent = `${orders(total)} created.`;
  say(result.textContent);
  document.body.dataset.created = made;
}
element("stop").addEventListener("click", () => {
  stopped = true;
  element("stop").textContent = "Stopping…"; // after the request under way
});
for (const button of document.querySelectorAll("[data-orders]")) {
  button.addEventListener("click", () => create(Number(button.dataset.orders)));
}
for (const button of document.querySelectorAll("[data-days]")) {
  button.addEventListener("click", () => show(Number(button.dataset.days)));
}
element("retry").addEventListener("click", () => show(wanted));

let width = 0;
new ResizeObserver(([{ contentRect }]) => {
  if (contentRect.width === width) return;
  width = contentRect.width;
  if (!element("filled").hidden) draw();
}).observe(document.querySelector("main"));

element("zone").textContent = `Days and times are those of your time zone, ${zone}.`;
show(91);
