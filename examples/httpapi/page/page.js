// Draws the orders of each day. All that it asks the server for is ids: the first
// 8 of their 24 hex digits are the seconds since 1970.

const dayMs = 24 * 60 * 60 * 1000;
const shownIDs = 8;

const created = (id) => parseInt(id.slice(0, 8), 16) * 1000;

// load returns all ids made at or after from, page by page.
async function load(from) {
  const ids = [];
  let path = `/ids?limit=1000&from=${new Date(from).toISOString()}`;
  while (path) {
    const answer = await fetch(path);
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.detail);
    ids.push(...body.ids);
    path = body.next;
  }
  return ids;
}

// perDay returns [{start, ids}], one for each day since from, in order.
function perDay(ids, from, days) {
  const result = Array.from({ length: days }, (_, i) => ({ start: from + i * dayMs, ids: [] }));
  for (const id of ids) {
    result[Math.floor((created(id) - from) / dayMs)]?.ids.push(id);
  }
  return result;
}

const date = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "long", timeZone: "UTC" });
const shortDate = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const plural = (n) => `${n.toLocaleString("en")} ${n === 1 ? "order" : "orders"}`;

function element(name, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

// niceStep returns 1, 2 or 5 times a power of ten that divides max into about four.
function niceStep(max) {
  const rough = Math.max(max / 4, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((n) => n * power >= rough) * power;
}

function draw(days) {
  const [left, top, width, height] = [44, 12, 908, 292];
  const most = Math.max(...days.map((d) => d.ids.length));
  const step = niceStep(most);
  const max = Math.max(1, Math.ceil(most / step)) * step;
  const chart = document.getElementById("chart");
  chart.replaceChildren();
  for (let n = 0; n <= max; n += step) {
    const y = top + height - (n / max) * height;
    chart.append(
      element("line", { x1: left, x2: left + width, y1: y, y2: y }),
      element("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, String(n)),
    );
  }
  const slot = width / days.length;
  const gap = Math.min(slot * 0.25, 8);
  days.forEach((day, i) => {
    const x = left + i * slot;
    const h = (day.ids.length / max) * height;
    const label = `${date.format(day.start)}: ${plural(day.ids.length)}`;
    const column = element("g", { class: "column", tabindex: 0, role: "button", "aria-label": label, "data-count": day.ids.length },
      element("title", {}, label),
      element("rect", { class: "hit", x, y: top, width: slot, height }),
      element("rect", { class: "bar", x: x + gap / 2, y: top + height - h, width: slot - gap, height: h, rx: Math.min(2, h) }));
    column.addEventListener("click", () => pick(column, day));
    column.addEventListener("keydown", (e) => {
      if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(column, day); }
    });
    chart.append(column);
    const labelled = days.length <= 14 ? (days.length - i) % 2 === 1 : new Date(day.start).getUTCDay() === 1;
    if (labelled) {
      chart.append(element("text", { x: x + slot / 2, y: top + height + 22, "text-anchor": "middle" }, shortDate.format(day.start)));
    }
  });
  const columns = chart.querySelectorAll(".column");
  pick(columns[columns.length - 1], days[days.length - 1]);
}

// pick shows the last ids of a day, each digit coloured by what it tells.
function pick(column, day) {
  document.querySelector(".column.picked")?.classList.remove("picked");
  column.classList.add("picked");
  document.getElementById("day-name").textContent = date.format(day.start);
  const n = day.ids.length;
  document.getElementById("day-count").textContent = plural(n) + (n > shownIDs ? `, here the last ${shownIDs}` : "");
  document.getElementById("day-ids").replaceChildren(...day.ids.slice(-shownIDs).reverse().map((id) => {
    const row = document.createElement("li");
    const time = document.createElement("time");
    time.dateTime = new Date(created(id)).toISOString();
    time.textContent = time.dateTime.slice(11, 19);
    row.append(time);
    for (const [name, from, to] of [["seconds", 0, 8], ["process", 8, 18], ["counter", 18, 24]]) {
      const part = document.createElement("span");
      part.className = name;
      part.textContent = id.slice(from, to);
      row.append(part);
    }
    return row;
  }));
}

async function show(days) {
  const summary = document.getElementById("summary");
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const from = today - (days - 1) * dayMs;
  try {
    const ids = await load(from);
    draw(perDay(ids, from, days));
    summary.textContent = `${plural(ids.length)} in ${days} days, ${(ids.length / days).toFixed(1)} a day`;
    document.body.dataset.loaded = days;
  } catch (e) {
    summary.textContent = `The ids can't be had: ${e.message}`;
  }
}

for (const button of document.querySelectorAll("button[data-days]")) {
  button.addEventListener("click", () => {
    document.querySelector('button[aria-pressed="true"]').removeAttribute("aria-pressed");
    button.setAttribute("aria-pressed", "true");
    show(Number(button.dataset.days));
  });
}
show(90);
