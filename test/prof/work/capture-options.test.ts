/** Options of recording, by the profiler that made a profile. */
import { expect } from 'chai';
import { asksForArguments, captureOption, opMarks, withoutArguments } from '../../../src/prof/work/capture-options.js';

type Recorded = Parameters<typeof captureOption>[0];

const NSYS_MEMORY = 'nsys profile --cuda-memory-usage=true';

describe('options of recording', () => {
  it('are those of the profiler that made the profile', () => {
    const torch = ['record_shapes=True', 'with_stack=True', 'profile_memory=True'];
    const answers: readonly (readonly [profile: Recorded, options: readonly (string | null)[]])[] = [
      [{ format: 'kineto' }, torch],
      [{ format: 'ascend-text', file: 'trace_view.json' }, torch],
      [{ format: 'ascend-db', file: 'ascend_mindspore_profiler_0.db' }, torch],
      // msprof alone profiles programs of any kind.
      [{ format: 'ascend-db', file: 'msprof_20240601.db' }, [null, null, null]],
      [{ format: 'ascend-text', file: 'msprof_run/trace_view.json' }, torch],
      [{ format: 'ascend-text', file: 'run/op_summary_1.csv' }, [null, null, null]],
      [{ format: 'ascend-text', file: 'op_summary_20240601.csv' }, [null, null, null]],
      [
        { format: 'nsight' },
        ['nsys profile --pytorch=autograd-shapes-nvtx, or emit_nvtx(record_shapes=True)', null, NSYS_MEMORY],
      ],
      [{ format: 'nvprof' }, ['emit_nvtx(record_shapes=True), or markers of PyProf', null, `${NSYS_MEMORY} instead of nvprof`]], // prettier-ignore
      [null, ['emit_nvtx(record_shapes=True), or markers of PyProf', null, null]],
      [{ format: 'rpd' }, ['emit_nvtx(record_shapes=True)', null, null]],
      [{ format: 'ncu' }, [null, null, `${NSYS_MEMORY} instead of ncu`]],
      [{ format: 'ntff' }, [null, null, null]],
      [{ format: 'neff' }, [null, null, 'neuron-explorer capture -n FILE.neff -s FILE.ntff']],
      [{ format: 'another' }, [null, null, null]],
    ];
    for (const [profile, options] of answers)
      expect(
        (['shapes', 'stacks', 'memory'] as const).map((wanted) => captureOption(profile, wanted)),
        profile?.file ?? profile?.format,
      ).to.deep.equal(options);
  });

  it('are not those of ops where the profile states that the CPU was recorded, or is a table beside its trace', () => {
    const activities = 'ProfilerActivity.CPU,ProfilerActivity.NPU';
    const trace = { format: 'ascend-text', file: 'rank0/trace_view.json' };
    expect(opMarks(trace)).to.equal('activities=[ProfilerActivity.CPU, …] records them');
    expect(opMarks({ ...trace, facts: { activities: 'ProfilerActivity.NPU' } })).to.match(/^activities=/);
    expect(opMarks({ ...trace, facts: { activities } })).to.equal(null);
    const table = { format: 'ascend-text', file: 'rank0/kernel_details.csv', facts: { activities } };
    expect(opMarks(table)).to.match(/^launches and ops are in trace_view\.json: give dparse the folder that has it/);
  });

  it('are not named where the profile states that they were given', () => {
    const facts = { record_shapes: 'true', profile_memory: 'false' };
    expect(captureOption({ format: 'kineto', facts }, 'shapes')).to.equal(null);
    expect(captureOption({ format: 'kineto', facts }, 'memory')).to.equal('profile_memory=True');
    expect(withoutArguments('mm', { format: 'kineto', facts })).to.equal('the profile has no arguments of mm');
    expect(asksForArguments(withoutArguments('mm', { format: 'kineto', facts }))).to.equal(false);
    expect(asksForArguments(withoutArguments('mm', { format: 'kineto' }))).to.equal(true);
  });
});
