/**
 * A strict reader of Prometheus' text format 0.0.4, after its description at prometheus.io ("Exposition formats"): HELP
 * and TYPE once and before the samples of their metric, samples of a metric together, no series twice, escapes in label
 * values, finite numbers.
 */
export interface Metric {
  readonly type: string;
  readonly help: string;
  /** Values by their labels, `a="1",b="2"` in order of name. */
  readonly series: Map<string, number>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/;

export function parseExposition(text: string): Map<string, Metric> {
  if (!text.endsWith('\n')) throw new Error('no line feed at the end');
  const metrics = new Map<string, Metric>();
  let help: { readonly name: string; readonly text: string } | null = null;
  let current: string | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') help = { name, text: rest };
    else if (keyword === 'TYPE') {
      if (help?.name !== name) throw new Error(`TYPE without HELP: ${line}`);
      if (metrics.has(name)) throw new Error(`metric twice: ${name}`);
      if (!/^(?:gauge|counter)$/.test(rest)) throw new Error(`type ${rest}`);
      if (rest === 'counter' && !name.endsWith('_total')) throw new Error(`counter without _total: ${name}`);
      metrics.set(name, { type: rest, help: help.text, series: new Map() });
      current = name;
    } else sample(line, current, metrics);
  }
  return metrics;
}

function sample(line: string, current: string | null, metrics: Map<string, Metric>): void {
  const name = NAME.exec(line)?.[0];
  if (name === undefined || name !== current) throw new Error(`sample outside its metric: ${line}`);
  const [, inside = '', number = ''] =
    /^(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line.slice(name.length)) ?? [];
  if (number === '') throw new Error(`no sample: ${line}`);
  const labels = labelsOf(inside);
  const key = labels.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',');
  const { series } = metrics.get(name) ?? { series: new Map<string, number>() };
  if (series.has(key)) throw new Error(`series twice: ${line}`);
  series.set(key, Number(number));
}

function labelsOf(inside: string): [string, string][] {
  const labels: [string, string][] = [];
  for (let rest = inside; rest !== '';) {
    const found = LABEL.exec(rest);
    if (found === null) throw new Error(`labels: ${rest}`);
    const [whole, name = '', value = ''] = found;
    if (labels.some(([other]) => other === name)) throw new Error(`label twice: ${name}`);
    labels.push([name, value.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))]);
    rest = rest.slice(whole.length);
  }
  return labels.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The value of the one series of a metric that has these labels among others; undefined when there is none. */
export function seriesValue(
  metrics: ReadonlyMap<string, Metric>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const found = [...(metrics.get(name)?.series ?? [])].filter(([key]) =>
    wanted.every((pair) => `,${key},`.includes(`,${pair},`)),
  );
  if (found.length > 1) throw new Error(`${found.length} series of ${name} have ${wanted.join(',')}`);
  return found[0]?.[1];
}
