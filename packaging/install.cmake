# What `cmake --install` puts where, in three components: `command`, `library` (the shared one) and `dev`; and the Debian packages that
# `cpack -G DEB` makes of them. Manual pages and completions need scdoc and python3; without them they are left out.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS postfetto_static EXPORT postfetto-targets ARCHIVE COMPONENT dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS postfetto_shared EXPORT postfetto-targets LIBRARY COMPONENT library NAMELINK_COMPONENT dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS postfetto RUNTIME COMPONENT command)
install(DIRECTORY include/postfetto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

file(RELATIVE_PATH PF_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/") # so that an installed tree can be moved
set(PF_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(PF_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
set(PF_CONFIG_MODULES ZLIB=zlib ZSTD=libzstd PROTOBUF_C=libprotobuf-c SQLITE=sqlite3 PCRE2=libpcre2-8
  YAML=yaml-0.1)
set(PF_PC_REQUIRES "zlib libzstd libprotobuf-c sqlite3 libpcre2-8 yaml-0.1")
string(REPLACE ";" " " PF_CONFIG_MODULES "${PF_CONFIG_MODULES}")
configure_file(packaging/postfetto.pc.in postfetto.pc @ONLY)
configure_package_config_file(packaging/postfetto-config.cmake.in postfetto-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/postfetto)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/postfetto-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/postfetto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/postfetto-config.cmake ${PROJECT_BINARY_DIR}/postfetto-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/postfetto COMPONENT dev)
install(EXPORT postfetto-targets NAMESPACE postfetto:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/postfetto COMPONENT dev)

find_program(SCDOC scdoc)
find_package(Python3 COMPONENTS Interpreter)
if(SCDOC AND Python3_FOUND)
  set(man ${PROJECT_BINARY_DIR}/man)
  set(completions ${PROJECT_BINARY_DIR}/completions)
  add_custom_target(pages
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_man.py $<TARGET_FILE:postfetto>
      ${PROJECT_SOURCE_DIR}/docs/man ${man}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_completions.py $<TARGET_FILE:postfetto> ${completions}
    VERBATIM)
  add_dependencies(pages postfetto)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command OPTIONAL FILES_MATCHING PATTERN "*.1.gz")
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT command OPTIONAL FILES_MATCHING PATTERN "*.5.gz")
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT dev OPTIONAL FILES_MATCHING PATTERN "*.3.gz")
  install(FILES ${completions}/postfetto DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command OPTIONAL)
  install(FILES ${completions}/_postfetto DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT command OPTIONAL)
  install(FILES ${completions}/postfetto.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command OPTIONAL)
endif()

# ---- Debian packages -------------------------------------------------------------------------------------------------
set(doc ${PROJECT_BINARY_DIR}/doc)
foreach(pair command=postfetto library=libpostfetto0 dev=libpostfetto-dev)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  string(TOUPPER ${component} upper)
  configure_file(packaging/copyright.in ${doc}/${package}/copyright @ONLY)
  install(FILES ${doc}/${package}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  configure_file(packaging/changelog.in ${doc}/${package}/changelog @ONLY)
  add_custom_command(OUTPUT ${doc}/${package}/changelog.gz
    COMMAND gzip -9nkf ${doc}/${package}/changelog DEPENDS ${doc}/${package}/changelog VERBATIM)
  list(APPEND PF_CHANGELOGS ${doc}/${package}/changelog.gz)
  install(FILES ${doc}/${package}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} OPTIONAL)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_FILE_NAME DEB-DEFAULT)
endforeach()
add_custom_target(changelogs DEPENDS ${PF_CHANGELOGS})
if(TARGET pages)
  add_custom_command(TARGET pages POST_BUILD COMMAND sh -c "gzip -9nf '${PROJECT_BINARY_DIR}'/man/*.[135]" VERBATIM)
  add_dependencies(pages changelogs)
endif()
set(CPACK_PACKAGE_NAME postfetto)
set(CPACK_PACKAGE_VENDOR postfetto)
set(CPACK_PACKAGE_CONTACT "postfetto maintainers <maintainers@postfetto.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "analyse performance traces after they were captured")
set(CPACK_COMPONENTS_ALL command library dev)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
# loaded when they are needed, so that no dependency is found: the server of `open`, pictures of reports
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libmicrohttpd12, libcairo2, libedit2, libstdc++6")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libcairo2, libstdc++6")
if(ISAL_FOUND)
  string(APPEND CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS ", libisal2")
  string(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS ", libisal2")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libpostfetto0 (= ${PROJECT_VERSION}), libprotobuf-c-dev, zlib1g-dev, libzstd-dev, libsqlite3-dev, libpcre2-dev, libyaml-dev")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "postfetto reads Perfetto and Chrome JSON traces, measures what an\naccelerator did, and writes the findings back into the trace.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library of postfetto, which reads, analyses and writes\nperformance traces.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, static library, pkg-config file and CMake package of\nlibpostfetto.")
include(CPack)
