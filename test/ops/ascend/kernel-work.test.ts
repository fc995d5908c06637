import { expect } from 'chai';
import { ascendWork } from '../../../src/ops/ascend/kernel-work.js';
import { matrixOf, operatorType } from '../../../src/ops/ascend/kernel-tensors.js';

/** `4096,1024;4096,1024 -> 4096,4096`, all of one type and format unless listed one by one. */
function labels(opType: string, shapes: string, types = 'DT_BF16', formats = 'ND') {
  const [inputShapes = '', outputShapes = ''] = shapes.split(' -> ');
  const [inputTypes = '', outputTypes = inputTypes] = types.split(' -> ');
  const [inputFormats = '', outputFormats = inputFormats] = formats.split(' -> ');
  const spread = (text: string, shape: string): string =>
    text.includes(';') ? text : shape.split(';').map(() => text).join(';'); // prettier-ignore
  return {
    name: `aclnnX_${opType}Common_${opType}`,
    engine: 'AI_VECTOR_CORE',
    labels: {
      ...{ opType, inputShapes, outputShapes },
      ...{ inputTypes: spread(inputTypes, inputShapes), outputTypes: spread(outputTypes, outputShapes) },
      ...{ inputFormats: spread(inputFormats, inputShapes), outputFormats: spread(outputFormats, outputShapes) },
    },
  };
}

/** `role flops bytes`. */
const amount = (...args: Parameters<typeof labels>): string => {
  const work = ascendWork(labels(...args));
  return `${work?.role} ${work?.flops} ${work?.bytes}${work?.matmul === true ? ' matmul' : ''}`;
};

describe('work of an Ascend kernel by its operands', () => {
  it('products: 2·m·n·k, whichever operands are transposed', () => {
    const bytes = 2 * (4096 * 1024 + 6144 * 1024 + 4096 * 6144);
    const flops = 2 * 4096 * 6144 * 1024;
    for (const shapes of ['4096,1024;6144,1024', '4096,1024;1024,6144', '1024,4096;6144,1024', '1024,4096;1024,6144'])
      expect(amount('MatMulV3', `${shapes} -> 4096,6144`), shapes).to.equal(`main ${flops} ${bytes} matmul`);
    expect(amount('MatMulV2', '32,9216;4096,9216;4096 -> 32,4096', 'FLOAT')).to.equal(
      `main ${2 * 32 * 4096 * 9216} ${4 * (32 * 9216 + 4096 * 9216 + 4096 + 32 * 4096)} matmul`,
    );
  });

  it('products of a batch: one for each', () => {
    const flops = 2 * 6 * 128 * 256 * 64;
    expect(amount('BatchMatMulV2', '2,3,128,64;2,3,64,256 -> 2,3,128,256', 'FLOAT16')).to.match(
      new RegExp(`^main ${flops} `),
    );
  });

  it('products of blocked matrices: n1, m1, m0, n0', () => {
    // A weight of 1024 x 3072 in blocks of 16 x 16 lies as 192, 64, 16, 16; 100 rows fill 7 blocks.
    const weight = { shape: [192, 64, 16, 16], dtype: 'float16', format: 'FRACTAL_NZ' };
    expect(matrixOf(weight)).to.deep.equal([1024, 3072]);
    const formats = 'ND;FRACTAL_NZ -> ND';
    expect(amount('MatMulV2', '100,1024;192,64,16,16 -> 100,3072', 'FLOAT16', formats)).to.match(
      new RegExp(`^main ${2 * 100 * 3072 * 1024} `),
    );
    const left = 'FRACTAL_NZ;ND -> ND';
    expect(amount('MatMulV2', '64,7,16,16;1024,50 -> 100,50', 'FLOAT16', left)).to.match(
      new RegExp(`^main ${2 * 100 * 50 * 1024} `),
    );
  });

  it('convolutions: every position of the result takes all weights', () => {
    // 192 filters of 64 x 5 x 5: 8 · 25 blocks of 8 channels, 12 of 16 filters.
    const weight = 200 * 12 * 16 * 8;
    const flops = 2 * 32 * 27 * 27 * weight;
    const maps = (32 * 8 * 27 * 27 + 32 * 24 * 27 * 27) * 8;
    const formats = 'NC1HWC0;FRACTAL_Z;NCHW -> NC1HWC0';
    expect(weight).to.equal(192 * 64 * 25);
    expect(amount('Conv2D', '32,8,27,27,8;200,12,16,8;192 -> 32,24,27,27,8', 'FLOAT', formats)).to.equal(
      `main ${flops} ${4 * (maps + weight + 192)} matmul`,
    );
    const input = '4;200,12,16,8;32,24,27,27,8 -> 32,8,27,27,8';
    const types = 'INT32;FLOAT;FLOAT -> FLOAT';
    expect(amount('Conv2DBackpropInput', input, types, 'NCHW;FRACTAL_Z;NC1HWC0 -> NC1HWC0')).to.match(
      new RegExp(`^dgrad ${flops} `),
    );
    const filter = '32,8,27,27,8;4;32,24,27,27,8 -> 200,12,16,8';
    expect(
      amount('Conv2DBackpropFilter', filter, 'FLOAT;INT32;FLOAT -> FLOAT', 'NC1HWC0;NCHW;NC1HWC0 -> FRACTAL_Z'),
    ).to.match(new RegExp(`^wgrad ${flops} `));
  });

  it('attention: 2·B·N·Sq·Skv·(Dq+Dv), all pairs also under a causal mask, 2.5 times for the gradient', () => {
    // 16 heads of 128 over 8 of keys, one sequence of 4096.
    const dense = 2 * 16 * 4096 * 4096 * 256;
    const q = '4096,1,2048;4096,1,1024;4096,1,1024';
    const outs = ' -> 1,16,4096,8;1,16,4096,8;;4096,1,2048';
    const types = (mask: string): string => `DT_BF16;DT_BF16;DT_BF16;${mask} -> FLOAT;FLOAT;DT_BF16;DT_BF16`;
    expect(amount('FlashAttentionScore', `${q};${outs}`, types('BOOL'))).to.match(new RegExp(`^main ${dense} `));
    const causal = ascendWork(labels('FlashAttentionScore', `${q};2048,2048${outs}`, types('BOOL')));
    expect(causal?.flops).to.equal(dense);
    // 4096 · 4097 / 2 of 4096² pairs.
    expect(causal?.formula).to.match(/; causal: masked pairs are counted too, the mask leaves 50\.01 % of them/);
    const gradient = `${q};4096,1,2048;2048,2048;1,16,4096,8;1,16,4096,8 -> 4096,1,2048;4096,1,1024;4096,1,1024`;
    const of = 'DT_BF16;DT_BF16;DT_BF16;DT_BF16;BOOL;FLOAT;FLOAT -> DT_BF16';
    expect(ascendWork(labels('FlashAttentionScoreGrad', gradient, of))?.flops).to.equal(dense * 2.5);
  });

  it('attention in other layouts is the same', () => {
    const dense = 2 * 2 * 4 * 64 * 64 * 32;
    const layouts = ['2,64,64;2,64,64;2,64,64', '2,4,64,16;2,4,64,16;2,4,64,16', '2,64,4,16;2,64,4,16;2,64,4,16'];
    for (const layout of layouts) {
      const shapes = `${layout} -> 2,4,64,8;2,4,64,8;2,64,64`;
      const types = 'FLOAT16;FLOAT16;FLOAT16 -> FLOAT;FLOAT;FLOAT16';
      expect(ascendWork(labels('FlashAttentionScore', shapes, types))?.flops, layout).to.equal(dense);
    }
  });

  it('other kernels: one operation for each element of the result; reductions, of the operand', () => {
    expect(amount('Add', '128,64;128,64 -> 128,64')).to.equal(`main ${128 * 64} ${3 * 2 * 128 * 64}`);
    expect(amount('Mul', '100; -> 100', 'FLOAT')).to.equal('main 100 804');
    expect(amount('RmsNorm', '64,128;128 -> 64,128;64,1')).to.match(/^main 8192 /);
    expect(amount('ReduceSum', '32,64;1 -> 64', 'FLOAT;INT64 -> FLOAT')).to.equal(`main 2048 ${4 * 2048 + 8 + 4 * 64}`);
    expect(amount('ForeachMulScalar', '64,3;64; -> 192;64', 'FLOAT')).to.equal(`main 256 ${4 * (256 + 1 + 256)}`);
  });

  it('Adam writes weights and moments where they are', () => {
    const shapes = '1024;1024;1024;1024;1';
    const types = 'FLOAT;FLOAT;FLOAT;FLOAT;INT64';
    const labelled = { opType: 'ApplyAdamWV2', inputShapes: shapes, inputTypes: types };
    const work = ascendWork({ name: 'k', labels: labelled });
    expect([work?.flops, work?.bytes]).to.deep.equal([13 * 1024, 4 * 7 * 1024 + 8]);
  });

  it('helpers: 0, and what they move', () => {
    expect(amount('TransData', '32,3,8,8 -> 32,1,8,8,16', 'FLOAT16')).to.equal(`helper 0 ${2 * (6144 + 32768)}`);
    expect(amount('Cast', '1024 -> 1024', 'FLOAT -> DT_BF16')).to.equal('helper 0 6144');
    const bare = ascendWork({ name: 'aclnnX_Y_MemSet', labels: { opType: 'MemSet' } });
    expect([bare?.role, bare?.flops, bare?.bytes]).to.deep.equal(['helper', 0, null]);
    const empty = ascendWork({ name: 'k', labels: { opType: 'MemSet', inputShapes: ';' } });
    expect([empty?.bytes, empty?.unknown]).to.deep.equal([null, 'the filled buffer is not recorded']);
  });

  it('kernels that need only the extents of an operand do not read it', () => {
    expect(amount('OnesLike', '64,32 -> 64,32', 'FLOAT')).to.equal(`main 0 ${4 * 2048}`);
    for (const type of ['FillV2D', 'NormalLike', 'OnesLikeV2', 'FillD', 'EmptyLike'])
      expect(amount(type, '32,32 -> 32,32', 'FLOAT'), type).to.equal('main 0 4096');
    expect(amount('ZerosLike', '8,4,2 -> 8,4,2', 'DT_BF16')).to.equal('main 0 128');
    expect(amount('Fill', '2; -> 64,32', 'INT64;FLOAT -> FLOAT')).to.equal(`main 0 ${4 * 2048}`);
    const inPlace = ascendWork({
      name: 'k',
      labels: { opType: 'InplaceZero', inputShapes: '16', inputTypes: 'FLOAT' },
    });
    expect(inPlace?.bytes).to.equal(64);
  });

  it('are unknown, with a reason, where no rule or operand determines them', () => {
    const cube = ascendWork({ ...labels('NewMatrixThing', '2,2 -> 2,2'), engine: 'MIX_AIC' });
    expect([cube?.flops, cube?.bytes, cube?.unknown]).to.deep.equal([null, 16, 'no formula for NewMatrixThing']);
    expect(ascendWork(labels('MatMulV3', '4,5;6,7 -> 8,9'))?.unknown).to.match(/MatMulV3/);
    expect(ascendWork(labels('FlashAttentionScore', '99,4,16;99,4,16;99,4,16 -> 99,4,8'))?.flops).to.equal(null);
    expect(ascendWork({ name: 'Conv2D1' })).to.equal(null);
    expect(ascendWork(labels('Add', 'x;-1 -> 1e99'))?.flops).to.equal(null);
  });
});

describe('type of an operator', () => {
  const names: Readonly<Record<string, string>> = {
    trans_TransData_25: 'TransData',
    Conv2DBackpropFilter10: 'Conv2DBackpropFilter',
    aclnnAddmm_MatMulCommon_MatMulV2: 'MatMulV2',
    RmsNormGrad: 'RmsNormGrad',
  };
  for (const [name, expected] of Object.entries(names)) {
    it(`of ${name} by its name: ${expected}`, () => expect(operatorType({ name })).to.equal(expected));
  }
  it('is as recorded in the profile', () =>
    expect(operatorType({ name: 'Add7', labels: { opType: 'Mul' } })).to.equal('Mul'));
});
