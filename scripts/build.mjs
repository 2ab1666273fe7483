// npm run build: builds pages and service if their sources have changed. npm start does the same.
import { buildServer } from "./build-server.mjs";
import { buildWeb } from "./build-web.mjs";

buildWeb();
buildServer();
