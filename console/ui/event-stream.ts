/** Reads server-sent events with `fetch`, because an EventSource cannot send the key. */
export { EventParser, type FollowOptions, followEvents, type StreamEvent } from '../../client/event-stream.ts';
