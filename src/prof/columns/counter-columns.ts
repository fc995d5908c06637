/** The columns on what the device counted: those of its work, and one for any counter by its name. */
import { column, int, real } from '../../table/column-kinds.js';
import { bytesByCounters, flopsByCounters, tensorUseByCounters } from '../work/hardware-counters.js';
import type { KernelColumn } from '../annotate.js';

/** Counted over needed; null where either is unknown or nothing is needed. */
export const overNeeded = (counted: number | null, needed: number | null): number | null =>
  counted === null || needed === null || needed === 0 ? null : counted / needed;

export const COUNTED_WORK_COLUMNS: readonly KernelColumn[] = [
  column(
    'hwflops',
    'HwFLOPs',
    int(12, 'FLOP'),
    'floating-point operations that the device counted (Nsight Compute), next to flops by formula',
    ({ record }) => flopsByCounters(record.counters),
  ),
  column(
    'hwflopsratio',
    'HwFLOPs/FLOPs',
    real(7, 3),
    'counted over needed: hwflops / flops',
    ({ record, flops }) => overNeeded(flopsByCounters(record.counters), flops),
    { derived: true, narrowHeader: 'HwF/F' },
  ),
  column(
    'hwbytes',
    'HwBytes',
    int(12, 'bytes'),
    "bytes to and from the device's memory that it counted, next to bytes by formula",
    ({ record }) => bytesByCounters(record.counters),
  ),
  column(
    'hwbytesratio',
    'HwBytes/Bytes',
    real(7, 3),
    'counted over needed: hwbytes / bytes; below 1 where caches served',
    ({ record, bytes }) => overNeeded(bytesByCounters(record.counters), bytes),
    { derived: true, narrowHeader: 'HwB/B' },
  ),
  column(
    'hwtc',
    'HwTC',
    int(4),
    '1 where the device counted work of its tensor cores, 0 where it counted none',
    ({ record }) => {
      const use = tensorUseByCounters(record.counters);
      return use === null ? null : Number(use);
    },
  ),
];

const PREFIX = 'counter:';
/** Numbers have room; the header is cut. */
const WIDTH = 12;

/** The column `counter:NAME` of one counter; undefined for another key. */
export function counterColumn(key: string): KernelColumn | undefined {
  if (!key.startsWith(PREFIX) || key.length === PREFIX.length) return undefined;
  const name = key.slice(PREFIX.length);
  return column(key, name, { ...real(WIDTH), significant: WIDTH - 2 }, `counter ${name}`, ({ record }) =>
    record.counters !== undefined && Object.hasOwn(record.counters, name) ? (record.counters[name] ?? null) : null,
  );
}

/** CUPTI's numbers, which databases of nvprof have in place of names. */
const NUMBERED = /^(?:metric|event)#\d/;

/** Which counters of columns by name no kernel had: a name may be mistyped. */
export class MissingCounters {
  readonly #names: Set<string>;
  /** Whether all counters are shown. */
  readonly #showsAll: boolean;
  /** Whether any kernel had a counter. */
  hasOthers = false;
  /** Whether one that is looked for, or shown, may be there under a number. */
  hasNumbers = false;

  constructor(columns: readonly KernelColumn[]) {
    const named = columns.filter(({ key }) => key.startsWith(PREFIX));
    this.#names = new Set(named.map(({ key }) => key.slice(PREFIX.length)));
    this.#showsAll = columns.some(({ key }) => key === 'counters');
  }

  take({ record: { counters } }: Parameters<KernelColumn['value']>[0]): void {
    if (counters === undefined || (this.#names.size === 0 && !this.#showsAll)) return;
    this.hasOthers = true;
    this.hasNumbers ||= Object.keys(counters).some((name) => NUMBERED.test(name));
    for (const name of this.#names) if (Object.hasOwn(counters, name)) this.#names.delete(name);
  }

  get names(): string[] {
    return [...this.#names];
  }
}
