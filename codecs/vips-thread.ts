/** What a thread of libvips starts with. wasm-vips sees by itself that it is not the first to load it. */
import { enterThreadList } from './vips-thread-list.ts';

enterThreadList();
await import('wasm-vips');
