import { expect } from 'chai';
import { ACTIVITY_KINDS, Activities, HostCalls, type ActivityKind } from '../../../src/parse/trace/trace-columns.js';
import { joinLaunches, placeAtLaunches } from '../../../src/parse/trace/launches.js';
import { ThreadTable } from '../../../src/parse/trace/threads.js';
import { Diagnostics } from '../../../src/record/diagnostics.js';

/** Precedence: 0 runtime, 1 driver, 2 other. */
type CallRow = readonly [process: number, corr: number, start: number, end: number, precedence?: number, tid?: number];
type ActivityRow = readonly [kind: ActivityKind, process: number, corr: number, start: number];

function join(callRows: readonly CallRow[], activityRows: readonly ActivityRow[]) {
  const [calls, activities, diagnostics] = [new HostCalls(), new Activities(), new Diagnostics()];
  const threads = new ThreadTable();
  for (const [process, corr, start, end, precedence = 0, tid = 1] of callRows) {
    calls.process.push(process);
    calls.corr.push(corr);
    calls.start.push(start);
    calls.end.push(end);
    calls.precedence.push(precedence);
    calls.thread.push(threads.thread(threads.process(process, process), tid));
    calls.api.push(0);
  }
  for (const [kind, process, corr, start] of activityRows) {
    activities.kind.push(ACTIVITY_KINDS.indexOf(kind));
    activities.process.push(process);
    activities.corr.push(corr);
    activities.start.push(start);
  }
  const launches = joinLaunches(calls, activities, threads, diagnostics);
  placeAtLaunches(calls, activities, launches, 0, diagnostics);
  const { callOf, kernelCounts: kernels } = launches;
  return { callOf: [...callOf], kernels: [...kernels], diagnostics: diagnostics.toJSON() };
}

describe('launches', () => {
  it('of one correlation id in two processes are kept apart', () => {
    const calls: CallRow[] = [
      [0, 7, 10, 20],
      [1, 7, 11, 21],
    ];
    const { callOf, diagnostics } = join(calls, [
      ['kernel', 1, 7, 30],
      ['kernel', 0, 7, 40],
    ]);
    expect(callOf).to.deep.equal([1, 0]);
    expect(diagnostics).to.deep.equal({});
  });

  it('of several processes have none where activities do not record their process', () => {
    const [calls, activities, diagnostics, threads] = [
      new HostCalls(),
      new Activities(),
      new Diagnostics(),
      new ThreadTable(),
    ];
    for (const [pid, corr] of [[1, 7], [2, 7], [2, 8]] as const) {
      calls.process.push(0);
      calls.corr.push(corr);
      calls.start.push(10);
      calls.end.push(20);
      calls.precedence.push(0);
      calls.thread.push(threads.thread(threads.process(pid, pid), 1));
      calls.api.push(0);
    } // prettier-ignore
    for (const corr of [7, 8]) {
      activities.kind.push(ACTIVITY_KINDS.indexOf('kernel'));
      activities.process.push(0);
      activities.corr.push(corr);
      activities.start.push(30);
    }
    expect([...joinLaunches(calls, activities, threads, diagnostics).callOf]).to.deep.equal([-1, 2]);
    expect(diagnostics.toJSON()).to.deep.equal({ 'ambiguous-launch': 1, 'kernel-without-launch': 1 });
  });

  it('with a runtime and a driver row are the runtime call, in either order of rows', () => {
    const runtime: CallRow = [0, 7, 10, 20, 0];
    const driver: CallRow = [0, 7, 12, 18, 1];
    const kernel: ActivityRow[] = [['kernel', 0, 7, 30]];
    expect(join([runtime, driver], kernel).callOf).to.deep.equal([0]);
    expect(join([driver, runtime], kernel).callOf).to.deep.equal([1]);
    expect(join([driver, runtime], kernel).diagnostics).to.deep.equal({ 'duplicate-launch-row': 1 });
  });

  it('with two rows of one kind are the outermost: earliest start, then latest end', () => {
    const rows: CallRow[] = [
      [0, 7, 12, 18],
      [0, 7, 10, 19],
      [0, 7, 10, 20],
      [0, 7, 11, 25],
    ];
    expect(join(rows, [['kernel', 0, 7, 30]]).callOf).to.deep.equal([2]);
  });

  it('with two rows that differ in nothing but the thread are that of the smaller thread id', () => {
    const rows: CallRow[] = [
      [0, 7, 10, 20, 0, 9],
      [0, 7, 10, 20, 0, 3],
    ];
    expect(join(rows, [['kernel', 0, 7, 30]]).callOf).to.deep.equal([1]);
    expect(join([...rows].reverse(), [['kernel', 0, 7, 30]]).callOf).to.deep.equal([0]);
  });

  it('are the driver call where there is no other', () => {
    expect(join([[0, 7, 12, 18, 1]], [['kernel', 0, 7, 30]]).callOf).to.deep.equal([0]);
  });

  it('may have many activities, of which kernels are counted', () => {
    const graph: ActivityRow[] = [
      ['kernel', 0, 7, 30],
      ['copy', 0, 7, 31],
      ['kernel', 0, 7, 32],
      ['set', 0, 7, 33],
    ];
    const { callOf, kernels } = join([[0, 6, 0, 1], [0, 7, 10, 20]], graph); // prettier-ignore
    expect(callOf).to.deep.equal([1, 1, 1, 1]);
    expect(kernels).to.deep.equal([0, 2]);
  });

  it('that are missing leave the activity, counted by kind; waits need none', () => {
    const { callOf, diagnostics } = join(
      [[0, 7, 10, 20]],
      [
        ['kernel', 0, 8, 30],
        ['kernel', 0, NaN, 30],
        ['copy', 1, 7, 30],
        ['graph', 0, 9, 30],
        ['sync', 0, 9, 30],
      ],
    );
    expect(callOf).to.deep.equal([-1, -1, -1, -1, -1]);
    expect(diagnostics).to.deep.equal({ 'kernel-without-launch': 2, 'activity-without-launch': 2 });
  });

  it('after their kernel (clock skew) are kept and counted', () => {
    const { callOf, diagnostics } = join([[0, 7, 10, 20]], [['kernel', 0, 7, 9]]);
    expect(callOf).to.deep.equal([0]);
    expect(diagnostics).to.deep.equal({ 'launch-after-kernel': 1 });
  });

  it('without a correlation id launch nothing', () => {
    const { callOf } = join([[0, NaN, 10, 20], [0, NaN, 11, 21]], [['kernel', 0, NaN, 30]]); // prettier-ignore
    expect(callOf).to.deep.equal([-1]);
  });
});
