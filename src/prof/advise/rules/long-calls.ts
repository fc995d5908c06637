/** Single host calls that took longer than any launch while the device was idle. */
import { LAUNCHING } from '../../../record/glossary.js';
import type { KernelLine } from '../../../record/record.js';
import { CallsSeen } from '../../input/device-activity.js';
import { LONGEST_LAUNCH } from '../../steps/step-work.js';
import { many, ranked, time } from '../wording.js';
import { ByDevice, type Place } from '../device-times.js';
import type { Found } from '../finding.js';
import type { Action } from '../framework-words.js';
import type { HostGapsOfDevice } from '../idle/host-gaps.js';
import { atLongest, Ranking } from '../kernel-tally.js';
import type { Rule, RuleAnswer } from '../rule.js';

/** Maximum number of kernel names to keep. */
const MOST_NAMES = 10_000;

/** Launch calls that took long, and how many of them launched a kernel for the first time. */
class LongLaunches {
  count = 0;
  first = 0;
  readonly #calls = new CallsSeen();
  readonly #names = new Set<string>();

  add({ name, launch = null, pid, tid }: KernelLine): void {
    const isNew = !this.#names.has(name);
    if (isNew && this.#names.size < MOST_NAMES) this.#names.add(name);
    if (launch === null || launch.dur <= LONGEST_LAUNCH || !this.#calls.isNew({ start: launch.start, pid, tid }))
      return;
    this.count++;
    if (isNew) this.first++;
  }
}

const LOADING =
  'launch each kernel once before the part you measure, and before the profiler starts: its first launch loads its code';
const WAITS = 'find out what the call waits for: it blocks the thread that launches';

/** Advice by the call that took longest; the first match wins. */
const ACTIONS: readonly (readonly [call: RegExp, action: (launches: LongLaunches) => Action])[] = [
  [/^hip.*launch/i, (launches) => loading(launches, 'HIP_ENABLE_DEFERRED_LOADING=0')],
  [/launch/i, (launches) => loading(launches, 'CUDA_MODULE_LOADING=EAGER')],
  [
    /mem(cpy|set)/i,
    () =>
      ({ copyAsync }) =>
        `copy asynchronously from pinned memory${copyAsync}: a synchronous copy waits for all earlier work`,
  ],
  [/^/, () => WAITS],
];

/** Code is loaded only once: a kernel that was launched before waits for something else. */
const loading = ({ count, first }: LongLaunches, setting: string): string =>
  2 * first >= count ? `${LOADING} (${setting} loads all code at start)` : WAITS;

function held({ of: hostGaps, ...place }: Place & { of: HostGapsOfDevice }, launches: LongLaunches): Found[] {
  const calls = new Ranking();
  for (const [call, ns] of hostGaps.idle.calls) calls.add(call, ns);
  const stake = calls.top(Infinity).reduce((sum, [, ns]) => sum + ns, 0);
  if (stake === 0) return [];
  const count = hostGaps.idle.held;
  const longest = calls.top(1)[0]?.[0] ?? '';
  return [
    {
      ...place,
      what: `slow API calls left the device idle for ${time(stake)} in ${many(count, 'gap')}: ${ranked(calls)}`,
      action: ACTIONS.find(([call]) => call.test(longest))?.[1](launches) ?? '',
      stake,
      gain: null,
      kernels: hostGaps.held.ids,
      ...atLongest(hostGaps.idle.longestHeld),
      count,
      evidence: { idleNs: stake, gaps: count, longLaunches: launches.count, ofNewKernels: launches.first },
      // The command shows how often the call was made, its median and its longest time.
      see: 'dprof --by api -f table FILE',
    },
  ];
}

/** The host waits in the call for the device, and the device waits for something else. */
function waited({ of: hostGaps, ...place }: Place & { of: HostGapsOfDevice }): Found[] {
  const { waiting } = hostGaps.idle;
  if (waiting === null || waiting.call === null) return [];
  const stake = waiting.end - waiting.start;
  return [
    {
      ...place,
      about: waiting.isFirst ? 'profile' : 'program',
      what: `the device was idle for ${time(stake)} with work queued, while the CPU waited in ${waiting.call}${waiting.isFirst ? '; this is the start of the profile, where the device may have been running earlier work' : ''}`,
      action: waiting.isFirst
        ? 'leave the start of the profile out of comparisons, or start the profiler one step earlier'
        : 'find out what the queued work waits for: another stream, another rank, another program on the device',
      stake,
      gain: null,
      kernels: [],
      at: { start: waiting.start, end: waiting.end },
      count: 1,
      evidence: { idleNs: stake, gaps: 1 },
      see: 'dprof -c idx,op,kernel,queue,sil --sort queue --top 5 -f table FILE',
    },
  ];
}

export const longCalls: Rule = {
  name: 'long-calls',
  vendors: LAUNCHING,
  doc: 'API calls that take much longer than a launch while the device is idle',
  watch: () => {
    const launches = new ByDevice(() => new LongLaunches());
    return {
      take: (record) => {
        if (record.type === 'kernel') launches.of(record).add(record);
      },
      end: ({ idle, devices }): RuleAnswer => {
        if (!devices.all.some(({ of: activity }) => activity.launched > 0))
          return { found: [], why: 'no launches in the profile' };
        const found = idle.all.flatMap((place) => [...held(place, launches.of(place)), ...waited(place)]);
        return { found, why: idle.why };
      },
    };
  },
};
