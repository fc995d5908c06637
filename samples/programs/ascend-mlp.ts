/** Two steps of training of a small network in FP16 on one of two Ascend 910B: two layers, GELU, SGD. */
import { AscendRun, type KernelWork, type Tensor } from './ascend-run.js';

const [BATCH, WIDTH, HIDDEN] = [1024, 512, 2048];
const HALF = 'c10::Half';
const tensor = (...shape: number[]): Tensor => ({ shape, type: HALF });
const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

type Shape = readonly number[];

const product = (name: string, m: number, k: number, n: number): KernelWork => ({
  name: `${name}_MatMulCommon_MatMulV2`,
  opType: 'MatMulV2',
  core: 'AI_CORE',
  blocks: 20,
  inputs: [[m, k], [k, n]],
  outputs: [[m, n]],
  dtype: 'FLOAT16',
  amount: 2 * m * k * n,
}); // prettier-ignore

const elementwise = (name: string, opType: string, inputs: readonly Shape[], output: Shape): KernelWork => ({
  name: `${name}_${opType}AiCore_${opType}`,
  opType,
  core: 'AI_VECTOR_CORE',
  blocks: 40,
  inputs,
  outputs: [output],
  dtype: 'FLOAT16',
  amount: sizeOf(output),
});

export function ascendMlp(): AscendRun {
  const run = new AscendRun();
  const call = (name: string, work: KernelWork): void => {
    run.op(name, [], () => {
      run.kernel(work);
    });
  };
  const forward: { seq: number; back: (seq: number) => void }[] = [];
  /** Runs an op forwards, and keeps what its gradient takes. */
  const op = (name: string, inputs: readonly Tensor[], body: () => void, back: (seq: number) => void): void => {
    const seq = run.nextSeq();
    run.op(name, inputs, body, { seq });
    forward.push({ seq, back });
  };
  const node = (name: string, seq: number, body: () => void): void => {
    run.op(`autograd::engine::evaluate_function: ${name}`, [], () => {
      run.op(name, [], body, { seq, backward: true });
    }, { seq, backward: true }); // prettier-ignore
  };

  const linear = (index: number, from: number, to: number): void => {
    run.module(`Linear_${index}`, () => {
      run.op('aten::linear', [tensor(BATCH, from), tensor(to, from), tensor(to)], () => {
        const free = run.allocate('aten::addmm', BATCH * to * 2);
        op('aten::addmm', [tensor(to), tensor(BATCH, from), tensor(from, to)], () => {
          call('aclnnAddmm', product('aclnnAddmm', BATCH, from, to));
        }, (seq) => {
          node('AddmmBackward0', seq, () => {
            if (index > 0) run.op('aten::mm', [tensor(BATCH, to), tensor(to, from)], () => { call('aclnnMm', product('aclnnMm', BATCH, to, from)); });
            run.op('aten::mm', [tensor(to, BATCH), tensor(BATCH, from)], () => { call('aclnnMm', product('aclnnMm', to, BATCH, from)); });
          });
          free();
        });
      });
    });
  }; // prettier-ignore

  const gelu = (): void => {
    const shape = [BATCH, HIDDEN];
    run.module('GELU_0', () => {
      op('aten::gelu', [tensor(...shape)], () => {
        call('aclnnGelu', elementwise('aclnnGelu', 'Gelu', [shape], shape));
      }, (seq) => {
        node('GeluBackward0', seq, () => {
          run.op('aten::gelu_backward', [tensor(...shape), tensor(...shape)], () => {
            call('aclnnGeluBackward', elementwise('aclnnGeluBackward', 'GeluGrad', [shape, shape, shape], shape));
          });
        });
      });
    });
  }; // prettier-ignore

  const loss = (): void => {
    const shape = [BATCH, WIDTH];
    op('aten::mse_loss', [tensor(...shape), tensor(...shape)], () => {
      call('aclnnMseLoss', elementwise('aclnnMseLoss', 'MseLoss', [shape, shape], [1]));
    }, (seq) => {
      node('MseLossBackward0', seq, () => {
        run.op('aten::mse_loss_backward', [tensor(1), tensor(...shape), tensor(...shape)], () => {
          call('aclnnMseLossBackward', elementwise('aclnnMseLossBackward', 'MseLossGrad', [shape, shape, [1]], shape));
        });
      });
    });
  }; // prettier-ignore

  const weights = HIDDEN * WIDTH * 2;
  for (const step of [3, 4]) {
    run.step(step, () => {
      run.at('/home/user/train.py(41): batch', () => {
        run.op('aten::copy_', [tensor(BATCH, WIDTH), tensor(BATCH, WIDTH)], () => {
          run.op('acl_memcpy_host_to_device', [], () => { run.copy(BATCH * WIDTH * 2); });
        });
      });
      run.range('forward', () => {
        run.at('/home/user/train.py(44): train', () => {
          run.at('/home/user/net.py(18): forward', () => {
            run.module('Mlp_0', () => {
              linear(0, WIDTH, HIDDEN);
              gelu();
              linear(1, HIDDEN, WIDTH);
            });
          });
          loss();
        });
      });
      run.on('autograd', () => {
        for (const { seq, back } of forward.splice(0).reverse()) back(seq);
        run.op('c10d::allreduce_', [tensor(weights)], () => {
          run.op('HcclAllreduce', [], () => { run.collective(weights * 2); });
        });
      });
      run.at('/home/user/train.py(52): train', () => {
        run.op('Optimizer.step#SGD.step', [], () => {
          run.op('aten::add_', [tensor(weights)], () => {
            call('aclnnInplaceAdd', elementwise('aclnnInplaceAdd', 'Add', [[weights], [weights]], [weights]));
          });
        });
      });
    });
  } // prettier-ignore
  return run;
}
