import { HeatMap, drawSmall } from "/heat_map.js";
import { ask, numbers } from "/server.js";

const SITES = {
  cross: {
    name: "encoder–decoder attention",
    axes: "Rows: sub-words of the translation as they are produced. Columns: sub-words of the source.",
  },
  encoder: {
    name: "encoder self-attention",
    axes: "Rows and columns: sub-words of the source; a row attends to the columns.",
  },
  decoder: {
    name: "decoder self-attention",
    axes: "Rows: sub-words of the translation as they are produced. Columns: the preceding sub-words.",
  },
};
const PATIENCE = 200; // milliseconds before a progress message is shown

const element = (id) => document.getElementById(id);
const [form, text] = [element("form"), element("text")];
const maps = {
  attention: new HeatMap(element("attention"), element("tooltip")),
  importance: new HeatMap(element("importance"), element("tooltip")),
};

let server = null; // what GET /model says
let chosen = null; // {source, token_ids} of the selected translation
let shown = null; // {attention, heads} of what the maps show
const known = new Map(); // attention of this translation by place

// --- Helpers

function say(id, message, busy = false) {
  element(id).textContent = message;
  element(id).classList.toggle("busy", busy);
}

function showError(id, error) {
  element(id).hidden = !error;
  element(id).textContent = error ? error.message : "";
}

function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Sets the options of a select element, and keeps the selection if it still exists. */
function fill(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map(([value, name]) => make("option", { value, textContent: name })));
  if (options.some(([value]) => String(value) === before)) select.value = before;
}

const length = () => [...text.value].length;

function count() {
  const { characters } = server.limits;
  element("counter").textContent = `${length().toLocaleString("en")} / ${characters.toLocaleString("en")} characters`;
  element("counter").classList.toggle("over", length() > characters);
}

// --- Translating

async function translate(event) {
  event.preventDefault();
  if (!server || element("translate").disabled) return;
  const { characters } = server.limits;
  let error = null;
  if (!text.value.trim()) error = new Error("Enter some text to translate.");
  if (length() > characters) error = new Error(`The text may have at most ${characters} characters. Shorten it.`);
  showError("error", error);
  if (error) return;
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
  element("translate").disabled = true;
  const timer = setTimeout(() => say("status", "Translating …", true), PATIENCE);
  try {
    const { lines } = await ask("/translate", {
      text: text.value,
      beam_size: element("beam-size").valueAsNumber,
      n_best: element("n-best").valueAsNumber,
    });
    say("status", `${seconds()} s`);
    showLines(lines);
  } catch (failure) {
    say("status", "");
    showError("error", failure);
  } finally {
    clearTimeout(timer);
    element("status").classList.remove("busy");
    element("translate").disabled = false;
  }
}

function showLines(lines) {
  element("empty").hidden = true;
  element("lines").replaceChildren(...lines.map(lineElement));
  const first = element("lines").querySelector("input:enabled");
  if (first) first.click();
  else choose(null);
}

function lineElement({ source, translations }, number) {
  const target = { lang: server.target_language ?? "", dir: "auto" };
  const shownSource = make("p", { className: "source", dir: "auto", lang: server.source_language ?? "" }, source);
  const rows = translations.map(({ translation, score, token_ids: ids }) => {
    const empty = !source.trim();
    const input = make("input", { type: "radio", name: "translation", disabled: empty });
    input.addEventListener("change", () => choose({ source, token_ids: ids }));
    return make(
      "label",
      { className: "translation" },
      input,
      make("span", { className: "target", ...target }, empty ? "(empty line)" : translation || "(empty translation)"),
      make("span", { className: "score", title: "log-probability, divided by the length penalty" }, score.toFixed(3)),
    );
  });
  const line = make("fieldset", { className: "line" }, shownSource, ...rows);
  line.setAttribute("aria-label", `Translations of line ${number + 1}`);
  return line;
}

// --- Looking at attention

function choose(translation) {
  chosen = translation;
  known.clear();
  showError("attention-error", null);
  const anything = server.models.some((model) => model.attention.length);
  element("inspection").hidden = !chosen;
  if (!chosen) return;
  element("choices").hidden = !anything;
  element("maps").hidden = !anything || !shown; // until there is an answer
  if (anything) look();
  else showError("attention-error", new Error(`The engine ${server.engine} does not expose attention.`));
}

/** The attention layer that the choices name, as GET /model describes it. */
function place() {
  const layers = server.models[element("model").value].attention;
  const [site, layer] = [element("site").value, Number(element("layer").value)];
  return layers.find((one) => one.site === site && one.layer === layer);
}

function fillChoices() {
  const { attention } = server.models[element("model").value];
  const sites = Object.keys(SITES).filter((site) => attention.some((one) => one.site === site));
  fill(element("site"), sites.map((site) => [site, SITES[site].name]));
  const layers = attention.filter((one) => one.site === element("site").value);
  fill(element("layer"), layers.map(({ layer }) => [layer, layer]));
  const { heads, scheme } = place();
  fill(element("head"), [["mean", "mean of all heads"], ...heads.map((name, index) => [index, name])]);
  say("scheme", scheme);
}

async function look() {
  fillChoices();
  const { site, layer } = place();
  const model = Number(element("model").value);
  const key = `${model} ${site} ${layer}`;
  const wanted = chosen;
  const current = () => wanted === chosen && key === `${element("model").value} ${place().site} ${place().layer}`;
  if (!known.has(key)) {
    const timer = setTimeout(() => current() && say("attention-status", "Computing …", true), PATIENCE);
    try {
      const answer = await ask("/attention", { ...wanted, site, layer, model });
      if (wanted === chosen) known.set(key, answer);
    } catch (error) {
      if (!current()) return;
      element("maps").hidden = true;
      shown = null;
      showError("attention-error", error);
      return;
    } finally {
      clearTimeout(timer);
      if (current()) say("attention-status", "");
    }
  }
  if (!current()) return;
  say("attention-status", ""); // also of another layer that is still being computed
  showError("attention-error", null);
  element("maps").hidden = false;
  showAttention(known.get(key), place());
}

function showAttention(answer, { heads, head_importance: hasImportance }) {
  const [rows, columns] = [answer.rows.length, answer.columns.length];
  const all = numbers(answer.weights);
  const each = heads.map((_, head) => all.subarray(head * rows * columns, (head + 1) * rows * columns));
  const mean = each[0].map((_, cell) => each.reduce((sum, values) => sum + values[cell], 0) / heads.length);
  shown = { answer, heads, each, mean, maximum: largest(all) };
  element("heads").replaceChildren(
    ...each.map((values, head) => {
      const canvas = make("canvas");
      drawSmall(canvas, { values, rows, columns, maximum: shown.maximum });
      const measures = `distance ${answer.distance[head].toFixed(1)}, entropy ${answer.entropy[head].toFixed(1)}`;
      const button = make("button", { type: "button" }, canvas, heads[head], make("small", {}, measures));
      button.addEventListener("click", () => {
        const isChosen = element("head").value === String(head);
        element("head").value = isChosen ? "mean" : head;
        showHead();
      });
      return button;
    }),
  );
  element("importance-part").hidden = !hasImportance;
  showHead();
  if (hasImportance) showImportance();
}

function showHead() {
  if (!shown) return;
  const { answer, heads, each, mean, maximum } = shown;
  const head = element("head").value;
  const isMean = head === "mean";
  const values = isMean ? mean : each[head];
  const most = isMean ? largest(mean) : maximum;
  maps.attention.show({
    values,
    rowLabels: answer.rows,
    columnLabels: answer.columns,
    maximum: most,
    name: `Attention weights, ${isMean ? "mean of all heads" : heads[head]}`,
    describe: (row, column) =>
      `${answer.rows[row]} → ${answer.columns[column]}: ${values[row * answer.columns.length + column].toFixed(3)}`,
  });
  const { distance, entropy } = answer;
  const average = (numbers) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const [far, wide] = isMean ? [average(distance), average(entropy)] : [distance[head], entropy[head]];
  const subject = isMean ? "Mean of the heads: distance" : "Distance";
  say("measures", `${subject} ${far.toFixed(2)} positions, entropy ${wide.toFixed(2)} nats`);
  say("axes", SITES[element("site").value].axes);
  const signs = values.some((value) => value < 0) ? " (size; some are negative)" : "";
  say("maximum", `${most.toFixed(2)}${signs}`);
  [...element("heads").children].forEach((button, index) => button.setAttribute("aria-pressed", String(index) === head));
}

function showImportance() {
  const { answer, heads } = shown;
  const importance = numbers(answer.head_importance);
  const [rows, columns] = answer.head_importance.shape;
  const means = heads.map((_, head) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += importance[row * columns + head];
    return sum / rows;
  });
  const values = Float32Array.from([...means, ...importance]);
  const rowLabels = ["average", ...answer.rows];
  maps.importance.show({
    values,
    rowLabels,
    columnLabels: heads,
    maximum: largest(values),
    name: "Head importance",
    describe: (row, column) => `${rowLabels[row]}, ${heads[column]}: ${values[row * columns + column].toFixed(3)}`,
  });
}

function largest(values) {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
}

// --- Beginning

async function begin() {
  try {
    server = await ask("/model");
  } catch (error) {
    say("description", "");
    showError("error", error);
    element("translate").disabled = true;
    return;
  }
  const names = server.models.map((model) => model.name);
  const [source, target] = [server.source_language, server.target_language];
  const schemes = [...new Set(server.models.flatMap((model) => model.attention.map((layer) => layer.scheme)))];
  const parts = [names.join(" + "), source && `${source} → ${target}`, schemes.join(", "), `engine ${server.engine}`];
  say("description", parts.filter(Boolean).join(" · "));
  document.title = `${names.join(" + ")} · Interacting heads`;
  if (source) say("text-label", `Text (${source})`);
  text.lang = source ?? "";
  const beam = element("beam-size");
  beam.max = server.limits.beam_size;
  beam.value = server.beam_size;
  const most = () => (element("n-best").max = beam.value);
  beam.addEventListener("input", most);
  most();
  element("n-best").value = Math.min(3, server.beam_size);
  fill(element("model"), names.map((name, index) => [index, name]));
  element("model-choice").hidden = names.length < 2;
  text.addEventListener("input", count);
  count();
}

form.addEventListener("submit", translate);
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
for (const id of ["model", "site", "layer"]) element(id).addEventListener("change", look);
element("head").addEventListener("change", showHead);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  if (shown) showAttention(shown.answer, place());
});
begin();
