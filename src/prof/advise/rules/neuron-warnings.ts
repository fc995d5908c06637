/** Neuron: warnings from the metrics of a capture, with the time that each is about. */
import { largest } from '../../../containers/element.js';
import type { CopyLine, KernelLine, ProfileLine } from '../../../record/record.js';
import { NS_PER_S } from '../../../record/units.js';
import { withMachine, type MetricSums } from '../../neuron/metric.js';
import { detailsOf, WARNING_RULES as WARNINGS } from '../../neuron/warnings.js';
import { ByDevice } from '../device-times.js';
import { IntervalUnion } from '../../../containers/interval-union.js';
import type { Finding, Gain, LongestTime } from '../finding.js';
import { atLongest, longerOf } from '../kernel-tally.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { rate } from '../wording.js';

type Evidence = Finding['evidence'];

interface WarnedCapture {
  readonly sums: MetricSums;
  /** Time in ns during which activities of the rule ran, on the device where they ran longest. */
  readonly ns: number;
  readonly count: number;
  /** The longest of these activities. */
  readonly longest: LongestTime | null;
}

interface NeuronRule {
  readonly name: string;
  readonly doc: string;
  /** The warning of `dprof summary` on which the rule is based. */
  readonly warning: string;
  readonly action: string;
  /** Selects the activities whose time is at stake. */
  readonly counts?: (record: KernelLine | CopyLine) => boolean;
  /** Why the rule cannot check; null when it can. */
  readonly why?: (sums: MetricSums) => string | null;
  /** Time in ns that is at stake and could be saved; null when unknown. */
  readonly stake: (evidence: Evidence, capture: WarnedCapture) => number | null;
  /** The longest time that the finding is about, for a rule without such activities. */
  readonly longest?: (capture: WarnedCapture, evidence: Evidence) => LongestTime | null;
  readonly gain?: (evidence: Evidence, capture: WarnedCapture) => Pick<Gain, 'how' | 'isBound'>;
}

const SMALL_DMA = 4096;

const number = (value: number | string | undefined): number => (typeof value === 'number' ? value : 0);
const atBandwidth = (bytes: number, { sums: { machine } }: WarnedCapture): number | null =>
  machine.hbmBytesPerS === null ? null : (bytes / machine.hbmBytesPerS) * NS_PER_S;
const bandwidthOf = ({ sums: { machine } }: WarnedCapture): string => rate(machine.hbmBytesPerS ?? 0);

/**
 * This is not an upper bound, because packets are slower than the memory's peak, and data moved while engines compute
 * costs no time.
 */
const moving = (bytes: string, capture: WarnedCapture): Pick<Gain, 'how' | 'isBound'> => ({
  how: `${bytes} / ${bandwidthOf(capture)}, if engines wait for them; more if packets are slower`,
  isBound: false,
});

const TABLE: readonly NeuronRule[] = [
  {
    name: 'neuron-reload',
    doc: 'Neuron: a tensor is loaded into the state buffer more than twice',
    warning: 'tensor-reload',
    action: 'keep the tensor in the state buffer, or tile the loop so that the tensor is reused before it is evicted',
    longest: ({ sums: { loads } }, { tensor }) => loads.spans.get(String(tensor)) ?? null,
    why: ({ loads }) => (loads.named > 0 ? null : 'the capture does not record which tensor a packet belongs to'),
    stake: ({ tensor, times }, capture) => {
      const loaded = capture.sums.loads.bytes.get(String(tensor)) ?? 0;
      return atBandwidth(loaded * (1 - 1 / number(times)), capture);
    },
    gain: (_, capture) => moving('bytes beyond the first load', capture),
  },
  {
    name: 'neuron-reread',
    doc: 'Neuron: inputs and weights are read from device memory more than twice',
    warning: 'memory-reread',
    action: 'tile the loop so that operands are used while they are in the state buffer',
    stake: ({ hbmReadBytes, inputsAndWeightsBytes }, capture) =>
      atBandwidth(number(hbmReadBytes) - number(inputsAndWeightsBytes), capture),
    gain: (_, capture) => moving('(bytes read − bytes of inputs and weights)', capture),
  },
  {
    name: 'neuron-throttled',
    doc: 'Neuron: a core is throttled for 1 % of the time or more',
    warning: 'throttled',
    action: 'spread the work over time or cores: throttling comes from power, heat and activity',
    why: ({ throttling }) => (throttling.cores.size > 0 ? null : 'the capture has no throttling samples'),
    longest: ({ sums: { throttling } }, { core }) => throttling.cores.get(number(core))?.longest ?? null,
    stake: ({ lostShare }, { sums: { totalPs } }) => (totalPs === null ? null : (number(lostShare) * totalPs) / 1000),
    gain: () => ({ how: 'sum of (1 − limit) · duration of the windows, if the core always has work', isBound: true }),
  },
  {
    name: 'neuron-transposes',
    doc: 'Neuron: more than 10 % of the FLOPs are transposes',
    warning: 'transposes',
    action: 'choose a layout of the operands that needs no transpose, or transpose by DMA during other compute',
    counts: (record) => record.type === 'kernel' && record.labels?.['type'] === 'TRANSPOSE',
    stake: (_, { ns }) => ns,
  },
  {
    name: 'neuron-dma',
    doc: 'Neuron: half of the DMA packets are under 4 KiB',
    warning: 'small-dma',
    action: 'move larger contiguous blocks, or several rows with one descriptor',
    counts: (record) =>
      record.type === 'copy' && record.queueType !== 'instruction' && (record.bytes ?? Infinity) < SMALL_DMA,
    stake: (_, { ns }) => ns,
  },
];

const isTimed = (record: ProfileLine): record is (KernelLine | CopyLine) & { readonly dur: number } =>
  (record.type === 'kernel' || record.type === 'copy') &&
  record.dur !== null &&
  Number.isFinite(record.start + record.dur);

const ruleOf = (entry: NeuronRule): Rule => ({
  name: entry.name,
  doc: entry.doc,
  vendors: ['neuron'],
  watch: () => {
    const devices = new ByDevice(() => ({ cover: new IntervalUnion(), count: 0, longest: null as LongestTime | null }));
    const { counts } = entry;
    return {
      ...(counts === undefined
        ? undefined
        : {
            take: (record: ProfileLine) => {
              if (!isTimed(record) || !counts(record)) return;
              const tally = devices.of(record);
              const [start, end] = [record.start, record.start + record.dur];
              tally.count++;
              tally.cover.add(start, end);
              tally.longest = longerOf(tally.longest, { start, end });
            },
          }),
      end: ({ neuron }): RuleAnswer => {
        if (neuron.size === 0) return { found: [], why: 'no capture of a Neuron device' };
        const answers = [...neuron].map(([profile, sums]): RuleAnswer => {
          const places = devices.ofProfile(profile);
          const ns = largest(
            places.map(({ of: { cover } }) => cover.total),
            0,
          );
          const count = places.reduce((sum, place) => sum + place.of.count, 0);
          const longest = places.reduce<LongestTime | null>((most, place) => longerOf(most, place.of.longest), null);
          return answer(entry, profile, { sums: withMachine(sums), ns, count, longest });
        });
        const whys = answers.map(({ why }) => why).filter((why) => why !== undefined);
        const [why] = whys;
        const found = answers.flatMap((result) => result.found);
        return why !== undefined && whys.length === answers.length ? { found, why } : { found };
      },
    };
  },
});

function answer(entry: NeuronRule, profile: number, capture: WarnedCapture): RuleAnswer {
  const why = entry.why?.(capture.sums) ?? null;
  if (why !== null) return { found: [], why };
  const rule = WARNINGS.find(({ id }) => id === entry.warning);
  const warned = rule === undefined ? [] : detailsOf(rule, capture.sums, []);
  const found = warned.flatMap(({ text, evidence }) => {
    const stake = entry.stake(evidence, capture);
    if (stake === null) return [];
    const computed = entry.gain?.(evidence, capture);
    const gain: Gain | null = computed === undefined ? null : { ns: stake, ...computed };
    const device = typeof evidence['core'] === 'number' ? evidence['core'] : null;
    const { action } = entry;
    return [
      {
        profile,
        device,
        what: text,
        action,
        stake,
        gain,
        kernels: [],
        ...atLongest(capture.longest ?? entry.longest?.(capture, evidence) ?? null),
        count: number(evidence['windows']) || capture.count || 1,
        evidence,
        see: 'dprof summary --vendor-metrics FILE',
      },
    ];
  });
  return { found };
}

export const neuronRules: readonly Rule[] = TABLE.map(ruleOf);
