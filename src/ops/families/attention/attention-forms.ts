/**
 * The attention ops and their signatures.
 *
 * Source: the schemas of PyTorch 2.0 to 2.13 (native_functions.yaml) and of the packages flash-attn 2 and 3, xFormers,
 * AITER and vLLM. The formulas read these arguments: q k v out lse grad, bias, cu_q cu_k (cumulative lengths of packed
 * sequences), max_q max_k (the longest), causal, mask_type, left right (window), want_lse, bias_grad. If table, used_q,
 * used_k, k_new or q_v is passed, the number of keys is unknown.
 */
import { mapEntries } from '../../by-name.js';
import { opTable } from '../../schema/op-rules.js';

/**
 * Order of the extents: `BHSD` [batch, heads, sequence, head dimension]; `BSHD` [batch, sequence, heads, head dimension],
 * or packed [tokens of all sequences, heads, head dimension].
 */
export type AttentionLayout = 'BHSD' | 'BSHD';

/** When the forward op writes the log-sum-exp of each query row; `padded` means in whole blocks of rows. */
type LogSumExp = 'always' | 'on-request' | 'on-request-padded' | 'never';

export interface AttentionForm {
  readonly layout: AttentionLayout;
  readonly lse: LogSumExp;
}

const bhsd = (lse: LogSumExp): AttentionForm => ({ layout: 'BHSD', lse });
const bshd = (lse: LogSumExp): AttentionForm => ({ layout: 'BSHD', lse });

const FORMS = opTable<AttentionForm>`
  ${bhsd('never')} aten.scaled_dot_product_attention _scaled_dot_product_attention_math
    _scaled_dot_product_attention_math_for_mps:
      @q @k @v @bias? dropout:number causal:bool
  ${bhsd('always')} _scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu:
      @q @k @v dropout:number causal:bool
    | @q @k @v @q_descale? @k_descale? @v_descale? dropout:number causal:bool
  ${bhsd('on-request-padded')} _scaled_dot_product_efficient_attention:
      @q @k @v @bias? want_lse:bool dropout:number causal:bool
    | @q @k @v want_lse:bool causal:bool
  ${bhsd('on-request')} _scaled_dot_product_cudnn_attention: @q @k @v @bias? want_lse:bool dropout:number causal:bool
    | @q @k @v dropout:number causal:bool
  ${bhsd('always')} _scaled_dot_product_fused_attention_overrideable: @q @k @v @bias? dropout:number causal:bool
  ${bhsd('always')} flex_attention: @q @k @v
  ${bhsd('always')} flex_attention_backward: @q @k @v @out @lse @grad
  ${bhsd('always')} _scaled_dot_product_flash_attention_backward:
      @grad @q @k @v @out @lse @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool
  ${bhsd('always')} _scaled_dot_product_flash_attention_for_cpu_backward:
      @grad @q @k @v @out @lse dropout:number causal:bool @bias?
  ${bhsd('always')} _scaled_dot_product_efficient_attention_backward:
      @grad @q @k @v @bias? @out @lse @seed? @offset? dropout:number grad_mask:list causal:bool
    | @grad @q @k @v @out @lse causal:bool
  ${bhsd('always')} _scaled_dot_product_cudnn_attention_backward:
      @grad @q @k @v @out @lse @seed @offset @bias? @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool
    | @grad @q @k @v @out @lse @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool
  ${bhsd('always')} _scaled_dot_product_fused_attention_overrideable_backward:
      @grad @q @k @v @bias? grad_mask:list @out @lse @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool
  ${bhsd('on-request')} _cudnn_attention_forward:
      @q @k @v @bias? @cu_q? @cu_k? max_q:int max_k:int want_lse:bool dropout:number causal:bool
  ${bhsd('always')} _cudnn_attention_backward:
      @grad @q @k @v @out @lse @seed @offset @bias? @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool
  ${bshd('always')} _flash_attention_forward:
      @q @k @v @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool debug:bool scale:number left:int right:int
        @used_k? @slopes? @table?
    | @q @k @v @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool debug:bool @q_descale? @k_descale?
        @v_descale? scale:number left:int right:int @used_k? @slopes?
  ${bshd('always')} _flash_attention_forward_no_dropout_inplace:
      !out @q @k @v @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool debug:bool scale:number left:int
        right:int @used_k? @slopes? @table?
  ${bshd('always')} _flash_attention_backward:
      @grad @q @k @v @out @lse @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool @seed? @offset?
        scale:number left:int right:int
    | @grad @q @k @v @out @lse @cu_q? @cu_k? max_q:int max_k:int dropout:number causal:bool
  ${bshd('on-request-padded')} _efficient_attention_forward:
      @q @k @v @bias? @cu_q? @cu_k? max_q:int max_k:int dropout:number mask_type:int want_lse:bool scale:number
        @used_k? left:int
    | @q @k @v @bias? @cu_q? @cu_k? max_q:int dropout:number mask_type:int want_lse:bool
    | @q @k @v @cu_q? @cu_k? max_q:int want_lse:bool causal:bool
  ${bshd('always')} _efficient_attention_backward:
      @grad @q @k @v @bias? @out @cu_q? @cu_k? max_q:int max_k:int @lse dropout:number @seed? @offset? mask_type:int
        bias_grad:bool scale:number splits:int left:int
    | @grad @q @k @v @out @lse causal:bool
  // flash-attn 2, as custom ops and as bound by its extension module
  ${bshd('always')} flash_attn._flash_attn_forward:
      @q @k @v dropout:number scale:number causal:bool left:int right:int
  ${bshd('always')} FlashAttnFunc: @q @k @v dropout:number scale:number causal:bool
  ${bshd('always')} flash_attn._flash_attn_varlen_forward:
      @q @k @v @cu_q @cu_k max_q:int max_k:int dropout:number scale:number causal:bool left:int right:int
        softcap:number @slopes? return_softmax:bool @table? @leftpad? @used_k?
  ${bshd('always')} FlashAttnVarlenFunc:
      @q @k @v @cu_q @cu_k max_q:int max_k:int dropout:number scale:number causal:bool
  ${bshd('always')} flash_attn._flash_attn_backward:
      @grad @q @k @v @out @lse !dq? !dk? !dv? dropout:number scale:number causal:bool left:int right:int
  ${bshd('always')} flash_attn._flash_attn_varlen_backward:
      @grad @q @k @v @out @lse !dq? !dk? !dv? @cu_q @cu_k max_q:int max_k:int dropout:number scale:number causal:bool
        left:int right:int
  ${bshd('always')} flash_attn_gpu.fwd flash_attn_2_cuda.fwd _vllm_fa2_C.fwd:
      @q @k @v !out? @slopes? dropout:number scale:number causal:bool left:int right:int
  ${bshd('always')} flash_attn_gpu.varlen_fwd flash_attn_2_cuda.varlen_fwd _vllm_fa2_C.varlen_fwd:
      @q @k @v !out? @cu_q @cu_k @used_k? @leftpad? @table? @slopes? max_q:int max_k:int dropout:number scale:number
        zero:bool causal:bool left:int right:int
  ${bshd('always')} flash_attn_gpu.bwd flash_attn_2_cuda.bwd:
      @grad @q @k @v @out @lse !dq? !dk? !dv? @slopes? dropout:number scale:number causal:bool left:int right:int
  ${bshd('always')} flash_attn_gpu.varlen_bwd flash_attn_2_cuda.varlen_bwd:
      @grad @q @k @v @out @lse !dq? !dk? !dv? @cu_q @cu_k @slopes? max_q:int max_k:int dropout:number scale:number
        zero:bool causal:bool left:int right:int
  ${bshd('always')} _vllm_fa2_C.fwd_kvcache:
      @q @k @v @k_new? @v_new? @used_k? @cos? @sin? @batch_index? @leftpad? @table? @slopes? !out? scale:number
        causal:bool left:int right:int
  // flash-attn 3
  ${bshd('always')} flash_attn_3.fwd flash_attn_3._flash_attn_forward _vllm_fa3_C.fwd sgl_kernel.fwd:
      @q @k @v @k_new? @v_new? @q_v? !out? @cu_q? @cu_k? @cu_k_new? @used_q? @used_k? max_q:int max_k:int @table?
        @batch_index? @leftpad? @cos? @sin? @rotary? @q_descale? @k_descale? @v_descale? scale:number causal:bool
        left:int right:int
    | @q @k @v @k_new? @v_new? @q_v? !out? @cu_q? @cu_k? @cu_k_new? @used_q? @used_k? max_q:int max_k:int @table?
        @batch_index? @leftpad? @cos? @sin? @q_descale? @k_descale? @v_descale? scale:number causal:bool left:int
        right:int
    | @q @k @v @k_new? @v_new? @q_v? !out? @cu_q? @cu_k? @cu_k_new? @used_q? @used_k? max_q:int max_k:int @table?
        @batch_index? @leftpad? @cos? @sin? @rotary? @q_descale? @k_descale? @v_descale? @out_scale? scale:number
        causal:bool left:int right:int
  ${bshd('always')} flash_attn_3._flash_attn_backward:
      @grad @q @k @v @out @lse @cu_q? @cu_k? @used_q? @used_k? max_q:int max_k:int !dq? !dk? !dv? scale:number
        causal:bool left:int right:int
  ${bshd('always')} flash_attn_3.bwd:
      @grad @q @k @v @out @lse !dq? !dk? !dv? @cu_q? @cu_k? @used_q? @used_k? max_q:int max_k:int scale:number
        causal:bool left:int right:int
  // xFormers
  ${bshd('always')} xformers_flash.flash_fwd xformers_flash3.flash_fwd:
      @q @k @v @cu_q? @cu_k? @used_k? max_q:int max_k:int dropout:number scale:number causal:bool left:int right:int
        return_softmax:bool @table?
    | @q @k @v @cu_q? @cu_k? max_q:int max_k:int dropout:number scale:number causal:bool
  ${bshd('always')} xformers_flash.flash_bwd xformers_flash3.flash_bwd:
      shared:bool @grad @q @k @v @out @lse @cu_q? @cu_k? max_q:int max_k:int dropout:number scale:number causal:bool
        left:int right:int
    | @grad @q @k @v @out @lse !dq? !dk? !dv? @cu_q? @cu_k? max_q:int max_k:int dropout:number scale:number
        causal:bool
  ${bshd('on-request-padded')} xformers.efficient_attention_forward_cutlass xformers.efficient_attention_forward_ck:
      @q @k @v @bias? @cu_q? @cu_k? max_q:int max_k:int dropout:number mask_type:int want_lse:bool scale:number
        @used_k? left:int
    | @q @k @v @bias? @cu_q? @cu_k? max_q:int dropout:number want_lse:bool mask_type:int scale:number @used_k?
        left:int
    | @q @k @v @cu_q? @cu_k? max_q:int want_lse:bool causal:bool
  ${bshd('always')} xformers.efficient_attention_backward_cutlass:
      @grad @q @k @v @bias? @out @cu_q? @cu_k? max_q:int max_k:int @lse dropout:number @seed? @offset? mask_type:int
        bias_grad:bool
    | @grad @q @k @v @bias? @cu_q? @cu_k? max_q:int max_k:int @lse @out dropout:number seed:int offset:int
        mask_type:int
    | @grad @q @k @v @lse @out causal:bool
  ${bshd('always')} xformers.efficient_attention_backward_ck:
      @grad @q @k @v @bias? @cu_q? @cu_k? max_q:int max_k:int @used_k? @lse @out dropout:number seed:int offset:int
        mask_type:int
    | @grad @q @k @v @bias? @cu_q? @cu_k? max_q:int @used_k? @lse @out dropout:number seed:int offset:int
        mask_type:int
  // AITER
  ${bshd('on-request')} aiter.mha_fwd aiter.fmha_v3_fwd aiter.wrapper_fmha_v3_fwd:
      @q @k @v dropout:number scale:number causal:bool left:int right:int sink:int want_lse:bool
    | @q @k @v dropout:number scale:number causal:bool left:int right:int want_lse:bool
  ${bshd('on-request')} aiter._flash_attn_forward:
      @q @k @v dropout:number scale:number causal:bool left:int right:int sink:int @bias? @slopes? @q_descale?
        @k_descale? @v_descale? want_lse:bool
    | @q @k @v dropout:number scale:number causal:bool left:int right:int @bias? @slopes? @q_descale? @k_descale?
        @v_descale? want_lse:bool
    | @q @k @v dropout:number scale:number causal:bool left:int right:int @bias? @slopes? want_lse:bool
    | @q @k @v dropout:number scale:number causal:bool left:int right:int @slopes? want_lse:bool
  ${bshd('on-request')} aiter.mha_varlen_fwd aiter.fmha_v3_varlen_fwd:
      @q @k @v @cu_q @cu_k? max_q:int max_k:int min_q:int dropout:number scale:number softcap:number zero:bool
        causal:bool left:int right:int sink:int want_lse:bool random:bool !out? @table?
    | @q @k @v @cu_q @cu_k? max_q:int max_k:int min_q:int dropout:number scale:number softcap:number zero:bool
        causal:bool left:int right:int want_lse:bool random:bool !out? @table?
    | @q @k @v @cu_q @cu_k max_q:int max_k:int dropout:number scale:number zero:bool causal:bool left:int right:int
        want_lse:bool random:bool !out? @table?
  // The pages of all sequences' keys in one list, and the start of each sequence in it.
  ${bshd('on-request')} aiter.mha_batch_prefill:
      @q @k @v @cu_q @page_starts @table max_q:int max_k:int dropout:number scale:number softcap:number zero:bool
        causal:bool left:int right:int sink:int want_lse:bool random:bool !out?
    | @q @k @v @cu_q @page_starts @table max_q:int max_k:int dropout:number scale:number softcap:number zero:bool
        causal:bool left:int right:int want_lse:bool random:bool !out?
  ${bshd('always')} aiter.mha_bwd aiter.fmha_v3_bwd aiter.wrapper_fmha_v3_bwd:
      @grad @q @k @v @out @lse dropout:number scale:number causal:bool left:int right:int
    | @grad @q @k @v @out @lse !dq? !dk? !dv? !dbias? dropout:number scale:number causal:bool left:int right:int
  ${bshd('always')} aiter._flash_attn_backward:
      @grad @q @k @v @out @lse !dq? !dk? !dv? !dbias? dropout:number scale:number causal:bool left:int right:int
    | @grad @q @k @v @out @lse !dq? !dk? !dv? dropout:number scale:number causal:bool left:int right:int
  ${bshd('always')} aiter.mha_varlen_bwd aiter.fmha_v3_varlen_bwd:
      @grad @q @k @v @out @lse @cu_q @cu_k max_q:int max_k:int dropout:number scale:number zero:bool causal:bool
        left:int right:int
`;

/** An op with an argument `grad` is a backward op. Later versions of an op may append arguments. */
export const ATTENTION_FORMS = mapEntries(FORMS, ({ fact, signatures }) => ({
  fact,
  signatures: signatures.map((signature) => `${signature} ...`),
}));
