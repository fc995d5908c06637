import { expect } from 'chai';
import { annotationKinds, isOfFramework } from '../../../src/page/charts/annotation-kinds.js';
import type { Annotation } from '../../../src/prof/html/page-data.js';

const annotation = (text: string, fields: Partial<Annotation> = {}): Annotation => ({
  ...{ text, count: 1, guessed: 0, time: 10, own: 5, samples: [10], hostSamples: [] },
  ...{ passes: null, host: null, hostSelf: null, ...fields },
});

describe('annotations of a page', () => {
  it('are one kind where names differ in numbers only, with their sums', () => {
    const kinds = annotationKinds([
      annotation('step_0', { passes: 1, host: 7, hostSelf: 2 }),
      annotation('optimizer'),
      annotation('step_12', { count: 2, time: 30, own: 20, guessed: 2 }),
    ]);
    expect(kinds.map(({ name, members }) => [name, members.map(({ at }) => at)])).to.deep.equal([
      ['step_#', [0, 2]],
      ['optimizer', [1]],
    ]);
    expect(kinds[0]).to.deep.include({ count: 3, time: 40, own: 25, guessed: 2, passes: 1, host: 7, hostSelf: 2 });
    expect(kinds[1]).to.deep.include({ passes: null, host: null });
  });

  it('keep the numbers that all of a kind have', () => {
    const kinds = annotationKinds(
      ['Conv2d_0', 'Conv2d_1', 'Optimizer.step#SGD1', 'Optimizer.step#SGD2'].map((text) => annotation(text)),
    );
    expect(kinds.map(({ name }) => name)).to.deep.equal(['Conv2d_#', 'Optimizer.step#SGD#']);
  });

  it('keep their numbers where they are alone', () => {
    expect(annotationKinds([annotation('block 7')]).map(({ name }) => name)).to.deep.equal(['block 7']);
  });

  it('are the user’s own, or of a framework', () => {
    const framework = [
      ...['aten::mm', 'torch::autograd::AccumulateGrad', 'AddmmBackward0', 'ProfilerStep#', 'Optimizer.step#SGD.step'],
      ...[
        'torch.distributed.ddp.reducer::copy_bucket_to_grad',
        'nccl:all_reduce',
        'domain#1:ncclGroupEnd',
        'enumerate(DataLoader)#_Next',
        'aclnnForeachAddListV2',
      ],
    ];
    const own = ['forward', 'step_3', 'ViTLayer_0', 'my optimizer', 'validation', 'Linear_0', 'backward pass'];
    expect(framework.filter((text) => !isOfFramework(text))).to.deep.equal([]);
    expect(own.filter(isOfFramework)).to.deep.equal([]);
  });
});
