/**
 * Turns samples of a GPU's counters (`nsys profile --gpu-metrics-devices`) into samples over time: how many SMs were active,
 * tensor cores, and traffic of device memory, in % of the peak. A sample covers the time until the next one of its GPU and its
 * set of metrics. There may be tens of millions, so they are read only when asked for.
 *
 * Source: NVIDIA Nsight Systems documentation, "SQLite Schema Reference": GPU_METRICS, TARGET_INFO_GPU_METRICS; names such as
 * `Tensor Active [Throughput %]`. No real export with these tables was available; tests have made ones.
 */
import { append, elementAt, least } from '../../../containers/element.js';
import { countUpTo } from '../../../containers/row-order.js';
import { GPU_METRICS } from '../../../record/sample-metrics.js';
import { ValueLine } from '../../../record/value-line.js';
import { isNear } from '../../trace/clocks/trace-clock.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { numberOf, type Selection, type SqliteFile } from '../../sqlite/sqlite.js';

export const GPU_METRIC_TABLE = 'GPU_METRICS';
const NAMES_TABLE = 'TARGET_INFO_GPU_METRICS';

/** The low 32 bits of a global id, which exceeds exact numbers: the type, whose lowest 8 bits are the GPU's id. */
const TYPE: Selection = { needs: ['typeId'], sql: '(typeId & 0xFFFFFFFF)' };
const gpuOf = (type: number): number => type % 0x100;

/** The metrics that are read, by type and number. */
function readNames(database: SqliteFile): Map<string, string> {
  const found = new Map<string, string>();
  for (const [type, metric, name] of database.rows(NAMES_TABLE, [TYPE, 'metricId', 'metricName'])) {
    const text = typeof name === 'string' ? name : '';
    const known = Object.entries(GPU_METRICS).find(([, beginning]) => text.startsWith(beginning));
    if (known !== undefined) found.set(`${numberOf(type)}/${numberOf(metric)}`, known[0]);
  }
  return found;
}

/** How long values wait for those of another GPU whose earlier sample has not ended, in ns. */
const LONGEST_WAIT = 1e9;
/** Values are put in order when there are this many, or twice as many as wait. */
const FEWEST = 4096;

/** Sorts values, which arrive in order of end, by their start. Memory: the values within `LONGEST_WAIT`. */
class InOrder {
  #held: ValueLine[] = [];
  #most = FEWEST;

  /** @param until all values up to this start time have arrived */
  *add(values: readonly ValueLine[], until: () => number): Generator<ValueLine> {
    append(this.#held, values);
    if (this.#held.length >= this.#most) yield* this.release(until());
  }

  *release(until: number): Generator<ValueLine> {
    const held = this.#held.sort((a, b) => a.start - b.start);
    const due = countUpTo(held.length, (at) => elementAt(held, at).start, until);
    this.#held = held.slice(due);
    this.#most = Math.max(FEWEST, 2 * this.#held.length);
    yield* held.slice(0, due);
  }
}

interface Sample {
  readonly start: number;
  readonly values: (readonly [metric: string, value: number])[];
}

/**
 * In order of start.
 * @param devicesOf ids of the devices in the records that stand for a GPU
 */
export function* gpuMetrics(
  database: SqliteFile,
  devicesOf: (gpu: number) => readonly number[],
  profile: number,
  diagnostics: Diagnostics,
): Generator<ValueLine> {
  const names = readNames(database);
  /** The latest sample of each type; a type is a set of metrics of one GPU. */
  const latest = new Map<number, Sample>();
  const inOrder = new InOrder();
  for (const row of database.rows(GPU_METRIC_TABLE, ['timestamp', TYPE, 'metricId', 'value'], [], true)) {
    const [start = NaN, type = NaN, metric = NaN, value = NaN] = row.map(numberOf);
    const name = names.get(`${type}/${metric}`);
    if (!isNear(start) || Number.isNaN(value)) diagnostics.count('bad-row');
    else if (name !== undefined) {
      const last = latest.get(type);
      if (last?.start === start) last.values.push([name, value]);
      else {
        latest.set(type, { start, values: [[name, value]] });
        if (last === undefined) continue;
        const values = devicesOf(gpuOf(type)).flatMap((device) =>
          last.values.map(
            ([key, percent]) => new ValueLine(profile, last.start, device, key, percent, '%', null, start - last.start),
          ),
        );
        const until = (): number =>
          Math.max(start - LONGEST_WAIT, least([...latest.values()].map((sample) => sample.start)));
        yield* inOrder.add(values, until);
      }
    }
  }
  yield* inOrder.release(Infinity);
}
