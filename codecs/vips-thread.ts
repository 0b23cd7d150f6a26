/** The start module of libvips' threads. wasm-vips detects by itself that it runs in a thread. */
import { enterThreadList } from './vips-thread-list.ts';

enterThreadList();
await import('wasm-vips');
