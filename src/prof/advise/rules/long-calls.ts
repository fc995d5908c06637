/** Single calls of the host that took longer than any launch while the device was idle. */
import { counted, ranked, time } from '../amount-text.js';
import { Ranking } from '../longest.js';
import type { Rule, RuleAnswer } from '../rule.js';

/** What to do, by the call that took longest; first match wins. */
const ACTIONS: readonly (readonly [call: RegExp, action: string])[] = [
  [
    /launch/i,
    'launch each kernel once before the part that counts, and before the profiler starts: its first launch loads its code (CUDA_MODULE_LOADING=EAGER loads all at once)',
  ],
  [
    /mem(cpy|set)/i,
    'copy asynchronously from pinned memory (non_blocking=True): a synchronous call waits for all work before it',
  ],
  [/^/, 'look at what the call waits for: it holds the thread that launches'],
];

export const longCalls: Rule = {
  name: 'long-calls',
  doc: 'calls of the host longer than a launch takes, while the device was idle',
  watch: () => ({
    end: ({ host, devices }): RuleAnswer => {
      if (!devices.all.some(({ of }) => of.launched > 0)) return { found: [], why: 'no launches in the profile' };
      return {
        found: host.all.flatMap(({ of, ...place }) => {
          const calls = new Ranking();
          for (const [call, ns] of of.idle.calls) calls.add(call, ns);
          const { waiting } = of.idle;
          const waitingIn = waiting?.call ?? null;
          if (waiting !== null && waitingIn !== null) calls.add(waitingIn, waiting.end - waiting.start);
          const stake = calls.top(Infinity).reduce((sum, [, ns]) => sum + ns, 0);
          if (stake === 0) return [];
          const count = of.idle.held + Number(waitingIn !== null);
          const longest = calls.top(1)[0]?.[0] ?? '';
          return [
            {
              ...place,
              what: `idle ${time(stake)} in ${counted(count, 'gap')} while the host was in one call: ${ranked(calls)}`,
              action: ACTIONS.find(([call]) => call.test(longest))?.[1] ?? '',
              stake,
              gain: null,
              kernels: [],
              count,
              evidence: { idleNs: stake, gaps: count },
              see: 'dprof -c idx,op,kernel,queue,sil --sort queue --top 15 -f table FILE',
            },
          ];
        }),
      };
    },
  }),
};
