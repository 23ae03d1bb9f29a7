// Heat maps of a matrix with labelled rows and columns, on a canvas.

const FONT = '13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const SMALLEST_CELL = 16;
const LARGEST_CELL = 40;
const LONGEST_LABEL = 130;
const GAP = 6; // between a label and the cells

/** The colour of a share of the largest weight, between -1 and 1, as [red, green, blue]: only its size counts. */
function colourScale() {
  const style = getComputedStyle(document.documentElement);
  const stops = [0, 1, 2].map((stop) => {
    const hex = style.getPropertyValue(`--heat-${stop}`).trim();
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });
  return (share) => {
    const place = Math.min(Math.abs(share), 1) * 2;
    const [low, high] = place < 1 ? [stops[0], stops[1]] : [stops[1], stops[2]];
    const part = place < 1 ? place : place - 1;
    return low.map((value, channel) => Math.round(value + (high[channel] - value) * part));
  };
}

/** Draws a matrix without labels, a pixel a cell; the style sheet enlarges it. */
export function drawSmall(canvas, { values, rows, columns, maximum }) {
  const colour = colourScale();
  canvas.width = columns;
  canvas.height = rows;
  canvas.style.aspectRatio = `${columns} / ${rows}`;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  values.forEach((value, index) => image.data.set([...colour(value / maximum), 255], 4 * index));
  context.putImageData(image, 0, 0);
}

/** A heat map that shows the value under the pointer, or under a mark that the arrow keys move. */
export class HeatMap {
  /**
   * @param canvas inside an element that scrolls.
   * @param tooltip the element that shows values.
   */
  constructor(canvas, tooltip) {
    this.canvas = canvas;
    this.tooltip = tooltip;
    this.matrix = null;
    this.mark = null;
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => this.choose(null));
    canvas.addEventListener("blur", () => this.choose(null));
    canvas.addEventListener("focus", () => {
      if (this.matrix && canvas.matches(":focus-visible")) this.choose([0, 0]);
    });
    canvas.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /**
   * @param matrix {values, rowLabels, columnLabels, maximum, name, describe}: values row by row; `describe(row,
   *   column)` is what the tooltip says of a cell.
   */
  show(matrix) {
    this.matrix = matrix;
    this.choose(null);
    this.canvas.setAttribute("aria-label", `${matrix.name}. Use the arrow keys to move from cell to cell.`);
    this.draw();
  }

  draw() {
    const { canvas, matrix } = this;
    const width = canvas.parentElement.clientWidth;
    if (!matrix || !width) return;
    const { values, rowLabels, columnLabels, maximum } = matrix;
    const context = canvas.getContext("2d");
    context.font = FONT;
    const longest = (labels) =>
      Math.min(LONGEST_LABEL, Math.ceil(Math.max(...labels.map((label) => context.measureText(label).width))));
    this.left = longest(rowLabels) + 2 * GAP;
    this.top = longest(columnLabels) + 2 * GAP;
    const fitting = Math.floor((width - this.left - 1) / columnLabels.length);
    this.cell = Math.min(LARGEST_CELL, Math.max(SMALLEST_CELL, fitting));
    const [wide, high] = [this.left + this.cell * columnLabels.length + 1, this.top + this.cell * rowLabels.length + 1];
    const scale = Math.min(devicePixelRatio, 16000 / Math.max(wide, high)); // browsers draw nothing larger
    canvas.width = wide * scale;
    canvas.height = high * scale;
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${high}px`;
    context.scale(scale, scale);
    const colour = colourScale();
    for (let row = 0, index = 0; row < rowLabels.length; row++) {
      for (let column = 0; column < columnLabels.length; column++, index++) {
        context.fillStyle = `rgb(${colour(values[index] / maximum)})`;
        context.fillRect(this.left + column * this.cell, this.top + row * this.cell, this.cell - 1, this.cell - 1);
      }
    }
    this.drawLabels(context, rowLabels, columnLabels);
    if (this.mark) {
      const [row, column] = this.mark;
      context.strokeStyle = this.style("--mark");
      context.lineWidth = 2;
      context.strokeRect(this.left + column * this.cell, this.top + row * this.cell, this.cell - 1, this.cell - 1);
    }
  }

  drawLabels(context, rowLabels, columnLabels) {
    const [text, mark] = [this.style("--text"), this.style("--mark")];
    context.font = FONT;
    context.textBaseline = "middle";
    context.textAlign = "right";
    rowLabels.forEach((label, row) => {
      context.fillStyle = this.mark && this.mark[0] === row ? mark : text;
      context.fillText(shortened(context, label), this.left - GAP, this.top + (row + 0.5) * this.cell);
    });
    context.textAlign = "left";
    columnLabels.forEach((label, column) => {
      context.save();
      context.fillStyle = this.mark && this.mark[1] === column ? mark : text;
      context.translate(this.left + (column + 0.5) * this.cell, this.top - GAP);
      context.rotate(-Math.PI / 2);
      context.fillText(shortened(context, label), 0, 0);
      context.restore();
    });
  }

  style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name);
  }

  point(event) {
    if (!this.matrix) return;
    const column = Math.floor((event.offsetX - this.left) / this.cell);
    const row = Math.floor((event.offsetY - this.top) / this.cell);
    const { rowLabels, columnLabels } = this.matrix;
    const inside = row >= 0 && column >= 0 && row < rowLabels.length && column < columnLabels.length;
    this.choose(inside ? [row, column] : null);
  }

  press(event) {
    if (!this.matrix) return;
    const { rowLabels, columnLabels } = this.matrix;
    const [row, column] = this.mark ?? [0, 0];
    const next = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, columnLabels.length - 1],
      Escape: null,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
    this.choose(next && [within(next[0], rowLabels.length), within(next[1], columnLabels.length)], true);
  }

  /** Marks a cell, or none. */
  choose(mark, scroll = false) {
    if (String(mark) === String(this.mark)) return;
    this.mark = mark;
    this.draw();
    this.tooltip.hidden = !mark;
    if (!mark) return;
    const [row, column] = mark;
    const [x, y] = [this.left + column * this.cell, this.top + row * this.cell];
    if (scroll) this.reveal(x, y);
    const box = this.canvas.getBoundingClientRect();
    this.tooltip.textContent = this.matrix.describe(row, column);
    const { offsetWidth, offsetHeight } = this.tooltip;
    const below = box.top + y + this.cell + GAP;
    const over = below + offsetHeight > innerHeight;
    this.tooltip.style.left = `${Math.max(GAP, Math.min(box.left + x + this.cell, innerWidth - offsetWidth - GAP))}px`;
    this.tooltip.style.top = `${over ? box.top + y - offsetHeight - GAP : below}px`;
  }

  /** Scrolls so that a cell can be seen. */
  reveal(x, y) {
    const area = this.canvas.parentElement;
    area.scrollLeft = Math.min(Math.max(area.scrollLeft, x + 2 * this.cell - area.clientWidth), x - this.cell);
    area.scrollTop = Math.min(Math.max(area.scrollTop, y + 2 * this.cell - area.clientHeight), y - this.cell);
  }
}

function shortened(context, label) {
  if (context.measureText(label).width <= LONGEST_LABEL) return label;
  const letters = [...label];
  while (letters.length && context.measureText(`${letters.join("")}…`).width > LONGEST_LABEL) letters.pop();
  return `${letters.join("")}…`;
}
