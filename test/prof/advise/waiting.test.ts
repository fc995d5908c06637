import { expect } from 'chai';
import { copy, findingsOf, silenceOf } from '../../support/advice.js';
import { A100, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';
import type { KernelRecord, ProfileLine } from '../../../src/record/record.js';

const PROFILE = profileOn(A100);
const MS = 1_000_000;

describe('the rule copy-bound', () => {
  it('bounds the gain by the computing that could hide copies', () => {
    // Copies 0-500 and 600-700, computing 450-600: 550 are alone; of 150 of computing 100 hide nothing yet.
    const records = [
      copy({ kind: 'HtoD', start: 0, dur: 500, bytes: 5000 }),
      kernel({ start: 450, dur: 150 }),
      copy({ kind: 'DtoD', start: 600, dur: 100, bytes: null }),
    ];
    const [found, ...more] = findingsOf('copy-bound', [PROFILE, ...records]);
    expect(more).to.deep.equal([]);
    expect(found).to.deep.include({ stake: 550, count: 2 });
    expect(found?.gain?.ns).to.equal(100);
    expect(found?.what).to.equal(
      'exposed copies take 78.6 % of the time: 550 ns of 2 copies and memsets without any other work',
    );
    expect(found?.details).to.equal('HtoD 500 ns, 5 kB at 10 GB/s; DtoD 100 ns');
  });

  it('leaves those that the host waits for to the rule copies, and is silent without any', () => {
    const waited = copy({ start: 100, dur: 100, launch: { api: 'cudaMemcpy', start: 90, dur: 120 } });
    expect(silenceOf('copy-bound', [PROFILE, kernel({ start: 0, dur: 50 }), waited])).to.equal(
      'no copies other than those the CPU waits for',
    );
  });
});

describe('the rule long-calls', () => {
  const launched = (api: string, called: number, dur: number): ProfileLine =>
    kernel({ id: 2, start: 5 * MS, dur: 10, launch: { api, start: called, dur } });

  it('names the call that launched what ended a gap, and says what to do about it', () => {
    const [found] = findingsOf('long-calls', [
      PROFILE,
      kernel({ start: 0, dur: MS, name: 'other' }),
      launched('cudaLaunchKernel', MS, 4 * MS),
    ]);
    expect(found).to.deep.include({ stake: 4 * MS, count: 1, gain: null });
    expect(found?.what).to.equal('slow API calls left the device idle for 4 ms in 1 gap: cudaLaunchKernel 4 ms');
    expect(found?.kernels).to.deep.equal(['0:2']);
    expect(found?.action).to.match(/loads its code/);
    // The kernel that came late, and the table of calls with the longest time of each.
    expect(found).to.deep.include({ kernels: ['0:2'], see: 'dprof --by api -f table FILE' });
    expect(findingsOf('launch-gaps', [PROFILE, kernel({ start: 0, dur: MS }), launched('cudaLaunchKernel', MS, 4 * MS)])).to.deep.equal([]); // prettier-ignore
  });

  it('names the call that waits for work that waits on the device', () => {
    const waits = copy({
      start: 5 * MS + 10,
      dur: 10,
      launch: { api: 'hipMemcpyWithStream', start: 100, dur: 6 * MS },
    });
    const found = (first: number) =>
      findingsOf('long-calls', [
        PROFILE,
        kernel({ start: 0, dur: first }),
        launched('hipGraphLaunch', 50, 20),
        waits,
      ])[0];
    expect(found(2 * MS)?.what).to.equal(
      'the device was idle for 3 ms with work queued, while the CPU waited in hipMemcpyWithStream',
    );
    expect(found(2 * MS)?.about).to.equal('program');
    expect(found(2 * MS)?.action).to.match(/^find out what the queued work waits for/);
    // The device had hardly worked before: nobody knows what it did before the profile.
    expect(found(5)?.what).to.match(/; this is the start of the profile, /);
    expect(found(5)?.about).to.equal('profile');
    expect(found(5)?.action).to.match(/start the profiler one step earlier/);
  });

  it('speaks of loading only where a kernel is launched for the first time', () => {
    const again = launched('cudaLaunchKernel', MS, 4 * MS);
    const actionOf = (name: string): string | undefined =>
      findingsOf('long-calls', [
        PROFILE,
        kernel({ start: 0, dur: MS, name }),
        { ...again, name: 'again' } as ProfileLine,
      ])[0]?.action;
    expect(actionOf('other')).to.match(/CUDA_MODULE_LOADING=EAGER/);
    expect(actionOf('again')).to.match(/^find out what the call waits for/);
  });

  it('counts a call once that launched several kernels', () => {
    const of = (id: number, start: number) =>
      kernel({ id, start, dur: 10, launch: { api: 'cudaGraphLaunch', start: MS, dur: 4 * MS } });
    const [found] = findingsOf('long-calls', [PROFILE, kernel({ start: 0, dur: MS }), ...[2, 3, 4].map((id) => of(id, 5 * MS + id * 10))]); // prettier-ignore
    expect(found?.evidence).to.include({ gaps: 1, longLaunches: 1 });
  });

  it('is silent about calls as short as launches, and without launches', () => {
    expect(silenceOf('long-calls', [PROFILE, kernel({ start: 0, dur: MS }), launched('cudaLaunchKernel', 4 * MS, MS)])).to.equal('nothing'); // prettier-ignore
    expect(silenceOf('long-calls', [PROFILE, kernel({ launch: null })])).to.equal('no launches in the profile');
  });
});

describe('the rule graph-trace', () => {
  it('says how much time the work of graphs is missing in', () => {
    const missing: ProfileLine = {
      ...{ type: 'sample', profile: 0, metric: 'missing_work', value: 3, unit: 'launches', device: 0, start: 200 },
      ...{ dur: 500, labels: { api: 'cudaGraphLaunch' } },
    };
    const records = [PROFILE, missing, kernel({ start: 0, dur: 100 }), kernel({ id: 2, start: 800, dur: 100 })];
    const [found] = findingsOf('graph-trace', records);
    // Idle 100-800, of which the 100 before the first launch are none of it.
    expect(found).to.deep.include({ stake: 600, count: 3, device: 0 });
    // What the profiler can do about it: Nsight Systems traces graphs node by node, unless it did so already.
    const actionOf = (format: string, api: string, change: Partial<KernelRecord> = {}) =>
      findingsOf('graph-trace', [
        { ...PROFILE, format },
        { ...missing, labels: { api } },
        kernel({ start: 0, dur: 100, ...change }),
        kernel({ id: 2, start: 800, dur: 100 }),
      ])[0]?.action.split('; ')[1];
    const graph = { id: 1, node: 2 };
    expect(actionOf('nsight', 'cudaGraphLaunch')).to.match(/--cuda-graph-trace=node/);
    expect(actionOf('nsight', 'cudaGraphLaunch', { graph })).to.equal('or profile without graphs');
    expect(actionOf('kineto', 'hipGraphLaunch')).to.equal('or profile without graphs');
    expect(actionOf('nsight', 'cudaLaunchKernel')).to.equal(undefined);
    expect(found?.what).to.equal(
      '3 launches (cudaGraphLaunch) without work in the profile, lost work may have run during 600 ns',
    );
  });
});

describe('the rule autotuning', () => {
  it('adds up the kernels among which a library chose', () => {
    const names = ['ampere_sgemm_128x64_nn', 'ampere_sgemm_64x64_nn', 'ampere_sgemm_32x32_nn', 'ampere_sgemm_64x64_nn'];
    const tried = names.map((name, sub) =>
      kernel({ start: 100 * sub, dur: 10 + sub, id: sub + 1, name, short: name, seq: [5], sub, calls: [mm(64, 64, 64)], op: ['mm'], mod: ['torch'] }),
    ); // prettier-ignore
    const [found] = findingsOf('autotuning', [PROFILE, ...tried]);
    // The last run is that of the kernel that was chosen.
    expect(found).to.deep.include({ stake: 10 + 11 + 12, count: 3 });
    expect(found?.what).to.equal('3 kernels ran only to choose an algorithm, 33 ns: mm 33 ns');
  });

  it('is silent where no library tried kernels, and could not look without ops', () => {
    expect(silenceOf('autotuning', [PROFILE, kernel({ launch: null })])).to.equal('no kernel has a known op');
  });
});
