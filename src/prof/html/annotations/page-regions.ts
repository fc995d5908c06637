/** The regions of a page: those of `dprof steps --by annotation`, with the distribution of their passes. */
import { UserError } from '../../../record/errors.js';
import { binsOf } from '../../../record/statistics.js';
import type { Item } from '../../analysis.js';
import { Annotated } from '../../annotate.js';
import { REGION_COLUMNS, spansOf, type RegionRow } from '../../steps/region-columns.js';
import { Regions } from '../../steps/regions.js';
import type { PageRegions, RegionFigures, RegionTotal } from '../page-data.js';

/** The page has layers in a panel of their own. */
const KIND = 'annotation';

/** Maximum number of passes on all devices, of at most about 5 KB each. */
const MOST_PASSES = 10_000;

/** Maximum number of annotations: each takes memory, whether or not it launched work. */
const MOST_RANGES = 100_000;

/** The figures of a region, with the keys of their columns. */
const COLUMNS = {
  ...{ passes: 'passes', span: 'span', busy: 'busy', idle: 'idle', idleHost: 'idle_host', idleQueue: 'idle_queue' },
  ...{ spanP50: 'span_p50', spanP90: 'span_p90', spanP99: 'span_p99', iterationP50: 'iteration_p50' },
  ...{ exposed: 'exposed', mfu: 'mfu', kernels: 'kernels', collectives: 'collectives' },
} as const satisfies Readonly<Record<keyof RegionFigures, string>>;

const VALUES = Object.entries(COLUMNS).map(([name, key]) => {
  const column = REGION_COLUMNS.find((candidate) => candidate.key === key);
  // The columns have percent.
  const scale = column?.unit === '%' ? 100 : 1;
  return { name, scale, value: (row: RegionRow): unknown => column?.value(row) };
});

function totalOf(row: RegionRow): RegionTotal {
  const figures = VALUES.map(({ name, scale, value }) => {
    const figure = value(row);
    return [name, typeof figure === 'number' ? figure / scale : null];
  });
  const { region, device } = row;
  return { region, device, ...(Object.fromEntries(figures) as RegionFigures), bins: binsOf(spansOf(row)) };
}

export class RegionTotals {
  /** Null when there are too many passes or annotations. */
  #regions: Regions | null = new Regions(KIND, undefined, MOST_PASSES);
  #ranges = 0;

  constructor(private readonly mostRanges = MOST_RANGES) {}

  take(item: Item): void {
    if (!(item instanceof Annotated) && item.type === 'range') {
      if ((item.kind ?? KIND) !== KIND) return;
      if (++this.#ranges > this.mostRanges) this.#regions = null;
    }
    try {
      this.#regions?.take(item);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#regions = null;
    }
  }

  /** Null when there are too many passes or annotations. */
  totals(most: number): PageRegions | null {
    if (this.#regions === null) return null;
    const rows = this.#regions.profiles.flatMap((profile) => profile.rows);
    return { shown: rows.slice(0, most).map(totalOf), count: rows.length };
  }
}
