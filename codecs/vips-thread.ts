/** The start module of libvips' threads. wasm-vips detects by itself that it runs in a thread. */
import { addToThreadList } from './vips-thread-list.ts';

addToThreadList();
await import('wasm-vips');
