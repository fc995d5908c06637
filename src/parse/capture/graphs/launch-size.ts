/** How large the pass of a model that serves requests is, by the name of its step. */

export interface LaunchSize {
  readonly phase: 'prefill' | 'decode' | 'mixed';
  /** Rows of the model's matrices: one a token. */
  readonly rows: number;
}

const VLLM = /^execute_(\d{1,9})_context_(\d{1,9})\([^()]*\)_generation_(\d{1,9})\([^()]*\)$/;
const SGLANG = /^step\[DECODE bs=(\d{1,9})\b/;

/** Null for any other text. */
export function readLaunchSize(text: string): LaunchSize | null {
  const vllm = VLLM.exec(text);
  if (vllm !== null) {
    const [, rows, context, generation] = vllm.map(Number) as [number, number, number, number];
    return { rows, phase: context === 0 ? 'decode' : generation === 0 ? 'prefill' : 'mixed' };
  }
  const sglang = SGLANG.exec(text);
  return sglang === null ? null : { rows: Number(sglang[1]), phase: 'decode' };
}
