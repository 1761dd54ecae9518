# What is installed beside programs and libraries: the CMake package, the licence and the pages.
# Components: relayout, what the tool needs to run; relayout-dev, the package; relayout-doc.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/relayout)
configure_package_config_file(cmake/relayout-config.cmake.in relayout-config.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 a minor version may change an interface.
write_basic_package_version_file(relayout-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/relayout-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/relayout-config-version.cmake
              cmake/RelayoutProfile.cmake
        DESTINATION ${package_folder} COMPONENT relayout-dev)
install(EXPORT relayout NAMESPACE relayout:: FILE relayout-targets.cmake
        DESTINATION ${package_folder} COMPONENT relayout-dev)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT relayout)
install(FILES README.md CHANGELOG.md SECURITY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT relayout-doc)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT relayout-doc
        FILES_MATCHING PATTERN "*.md")
