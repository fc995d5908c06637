/** What a panel without content says to record: nothing that was given already. */
import { expect } from 'chai';
import { lacking } from '../../src/page/capture-hints.js';

type View = Parameters<typeof lacking>[0];
const viewOf = (format: string, facts: Readonly<Record<string, string>>, file = 'net'): View =>
  ({ profile: { overview: { program: null, header: { format, facts, file } } } }) as unknown as View;

const WANTED = ['annotations', 'layers', 'shapes'] as const;

describe('hints of panels without content', () => {
  it('ask for the program of a device trace, and not for one that was given', () => {
    for (const wanted of WANTED) {
      if (wanted !== 'shapes') expect(lacking(viewOf('ntff', {}), wanted)).to.match(/NEFF/);
      const withProgram = lacking(viewOf('ntff', { compilerVersion: '2.23' }), wanted);
      expect(withProgram).to.match(wanted === 'shapes' ? /neuron-explorer view/ : /XLA_IR_DEBUG=1 XLA_HLO_DEBUG=1/);
      expect(withProgram).to.not.match(/NEFF/);
    }
    // The tool's JSON has all that there is: a program must be compiled with layers.
    expect(lacking(viewOf('neuron-json', {}), 'layers')).to.equal(
      'No kernel was launched in a layer. The program does not contain them. ' +
        'XLA_IR_DEBUG=1 XLA_HLO_DEBUG=1, set when the program is compiled, keep the layers of the framework.',
    );
    for (const wanted of WANTED)
      expect(lacking(viewOf('neuron-json', {}), wanted)).to.not.match(/neuron-explorer|NEFF/);
  });

  it('name options of the profiler that made the profile alone', () => {
    const memory = 'The profile has no memory samples.';
    const cores = 'No profile has CPU scheduling events.';
    const nsys = 'nsys profile --sample=process-tree --cpuctxsw=process-tree';
    expect(lacking(viewOf('kineto', {}), 'memory')).to.equal(`${memory} profile_memory=True records them.`);
    expect(lacking(viewOf('kineto', { profile_memory: 'true' }), 'memory')).to.equal(memory);
    expect(lacking(viewOf('ascend-db', {}), 'memory')).to.equal(`${memory} profile_memory=True records them.`);
    expect(lacking(viewOf('nsight', {}), 'memory')).to.equal(
      `${memory} nsys profile --cuda-memory-usage=true records them.`,
    );
    expect(lacking(viewOf('ntff', {}), 'memory')).to.equal(memory);
    expect(lacking(viewOf('nsight', {}), 'cores')).to.equal(`${cores} ${nsys} records it.`);
    for (const format of ['kineto', 'nvprof', 'ascend-text', 'neuron-json'])
      expect(lacking(viewOf(format, {}), 'cores')).to.equal(cores);
  });

  it('say how to get the trace where the table of kernels was given, and for no options that were', () => {
    const shapes = 'No kernel has both known FLOPs and known bytes.';
    const ofAscend = (file: string, facts = {}) => lacking(viewOf('ascend-text', facts, file), 'shapes');
    expect(ofAscend('kernel_details.csv')).to.match(
      /^No kernel has both .* Launches and ops are in trace_view\.json: give .* with torch_npu\.profiler\.profiler\.analyse\(FOLDER\), or record again with ExportType\.Text\.$/,
    );
    expect(ofAscend('op_summary_1.csv')).to.equal(shapes);
    expect(ofAscend('trace_view.json')).to.equal(`${shapes} record_shapes=True records what ops work on.`);
    expect(ofAscend('trace_view.json', { record_shapes: 'true' })).to.equal(shapes);
    const layersWith = (facts: object) => lacking(viewOf('kineto', facts as Record<string, string>), 'layers');
    const range = 'record_function("layer:conv1") around a layer';
    const layers = 'No kernel was launched in a layer.';
    expect(layersWith({})).to.equal(`${layers} with_modules=True with with_stack=True, or ${range}, records it.`);
    expect(layersWith({ with_stack: 'true' })).to.equal(`${layers} with_modules=True, or ${range}, records it.`);
    expect(layersWith({ with_stack: 'true', with_modules: 'true' })).to.equal(`${layers} ${range} records it.`);
  });

  it('name how ranges must be called for layers, and another profiler where the own one has no stacks', () => {
    const ranges = 'range around each layer, named "layer:conv1", records it.';
    for (const [format, kind] of Object.entries({ nsight: 'An NVTX', nvprof: 'An NVTX', rpd: 'A rocTX' }))
      expect(lacking(viewOf(format, {}), 'layers')).to.equal(`No kernel was launched in a layer. ${kind} ${ranges}`);
    const stacks = 'The profile has no call stacks.';
    expect(lacking(viewOf('kineto', {}), 'stacks')).to.equal(`${stacks} with_stack=True records them.`);
    expect(lacking(viewOf('nsight', {}), 'stacks')).to.equal(
      `${stacks} torch.profiler.profile(with_stack=True) in place of nsys records them, for a program in PyTorch.`,
    );
    for (const format of ['ntff', 'neuron-json'])
      expect(lacking(viewOf(format, {}), 'stacks')).to.equal(
        `${stacks} NEURON_FRAMEWORK_DEBUG=1 NKI_DEBUG_INFO=True, set when the program is compiled, keep its lines of code.`,
      );
  });

  it('ask for the JSON where operands of a device trace are not known: its program does not have them', () => {
    expect(lacking(viewOf('ntff', {}), 'shapes'))
      .to.match(/neuron-explorer view/)
      .and.not.match(/NEFF/);
  });
});
