/** Products by kernels that were built for an older architecture than the device's. */
import { smOf } from '../../../ops/matrix-unit.js';
import { smInName } from '../../../ops/product-name.js';
import { Recent } from '../../../record/recent.js';
import { ByDevice } from '../by-device.js';
import { Longest, Ranking } from '../longest.js';
import type { Answer, Rule } from '../rule.js';
import { many, ranked, time } from '../words.js';

class Old {
  count = 0;
  stake = 0;
  arch = '';
  readonly built = new Set<number>();
  readonly names = new Ranking();
  readonly longest = new Longest();
}

/** sm86 and sm89 run kernels of sm80 with the same instructions: only the generation counts. */
const generation = (sm: number): number => Math.floor(sm / 10);

const names = new Recent<string, number | null>(4096);

export const oldArchitecture: Rule = {
  name: 'old-architecture',
  doc: 'products by kernels whose names tell an older architecture than the device has',
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
        if (built === null || generation(built) >= generation(sm)) return;
        const old = devices.of(record);
        old.count++;
        old.stake += record.dur;
        old.arch = peaks.arch ?? '';
        old.built.add(built);
        old.names.add(record.short, record.dur);
        old.longest.add(record);
      },
      end: (): Answer => ({
        found: devices.all.map(({ profile, device, of }) => {
          const built = [...of.built].sort((a, b) => a - b).map((sm) => `sm${sm}`).join(', ');
          return {
            profile,
            device,
            what: `${many(of.count, 'product')}, ${time(of.stake)}, by kernels built for ${built} on ${of.arch}: ${ranked(of.names)}`,
            action: `newer libraries (cuBLAS, cuDNN, FlashAttention, CUTLASS) may have kernels for ${of.arch}; for what they have none, nothing is to be done`,
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
}; // prettier-ignore
