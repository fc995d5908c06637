/**
 * Products by kernels that were made for an older architecture than the device's. Those that extents keep on old kernels
 * are said in `alignment.ts`; FP32 ones off the matrix unit would be no faster by newer kernels.
 */
import { smOf } from '../../../ops/kernels/matrix-unit.js';
import { smInName } from '../../../ops/kernels/product-name.js';
import { LruCache } from '../../../containers/lru-cache.js';
import type { Annotated } from '../../annotate.js';
import { ByDevice } from '../by-device.js';
import { Longest, Ranking } from '../longest.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { counted, ranked, time } from '../amount-text.js';

class Old {
  count = 0;
  stake = 0;
  arch = '';
  readonly built = new Set<number>();
  readonly names = new Ranking();
  readonly longest = new Longest();
}

/** Products that the architecture of their kernel does not slow. */
const isExplained = ({ tc, unitUse }: Annotated): boolean =>
  /^align/.test(unitUse?.slowed?.id ?? '') || (tc === 0 && unitUse?.dtype === 'fp32');

/** sm86 and sm89 run kernels of sm80 with the same instructions: only the generation counts. */
const generation = (sm: number): number => Math.floor(sm / 10);

const names = new LruCache<string, number | null>(4096);

export const oldArchitecture: Rule = {
  name: 'old-architecture',
  doc: 'products by kernels whose names imply an older architecture than the device has',
  watch: () => {
    const devices = new ByDevice(() => new Old());
    let looked = 0;
    return {
      row: (row) => {
        const { record, peaks } = row;
        const sm = smOf(peaks.arch ?? undefined);
        if (sm === null || record.dur === null || !Number.isFinite(record.dur) || !row.isProduct) return;
        looked++;
        const built = names.of(record.name, smInName);
        if (built === null || generation(built) >= generation(sm) || isExplained(row)) return;
        const old = devices.of(record);
        old.count++;
        old.stake += record.dur;
        old.arch = peaks.arch ?? '';
        old.built.add(built);
        old.names.add(record.short, record.dur);
        old.longest.add(record);
      },
      end: (): RuleAnswer => ({
        found: devices.all.map(({ profile, device, of }) => {
          const built = [...of.built]
            .sort((a, b) => a - b)
            .map((sm) => `sm${sm}`)
            .join(', ');
          return {
            profile,
            device,
            what: `${counted(of.count, 'product')}, ${time(of.stake)}, by kernels made for ${built}, by their names, on ${of.arch}: ${ranked(of.names)}`,
            action: `try newer libraries (cuBLAS, cuDNN, FlashAttention, CUTLASS), which may have kernels for ${of.arch}; a library may also choose an older kernel because it is the fastest for these extents`,
            stake: of.stake,
            gain: null,
            kernels: of.longest.ids,
            count: of.count,
            evidence: { kernels: of.count, timeNs: of.stake, builtFor: built, device: of.arch },
            see: "dprof --where 'tc==1 || tc==0' --by kernel,tcwhy -f table FILE",
          };
        }),
        ...(looked === 0 ? { why: 'no products on an NVIDIA device of known architecture' } : undefined),
      }),
    };
  },
};
