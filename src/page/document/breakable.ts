/** Places at which long names may go on in another line: better there than within a word. */
import { element } from './dom-elements.js';

/** After these, unless another of them follows: `ncclKernel_`, `at::native::`, `/blocks.0/`. */
const PLACE = /(?<=[_:/<])(?=[^_:/<])/;

/** Shorter texts have room. */
const LONG = 20;

/** @param text element whose texts may break; copying and searching see no difference */
export function breakable(text: HTMLElement): HTMLElement {
  if (text.textContent.length < LONG) return text;
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode() !== null) nodes.push(walker.currentNode as Text);
  for (const node of nodes) {
    const parts = node.data.split(PLACE);
    if (parts.length > 1) node.replaceWith(...parts.flatMap((part, i) => (i === 0 ? [part] : [element('wbr'), part])));
  }
  return text;
}
